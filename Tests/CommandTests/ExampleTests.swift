import Foundation
import Testing

/// Whatever the manuals and the README show is run as it is shown (``Workshop`` says in which surroundings).
@Suite("Examples", .timeLimit(.minutes(8)))
struct ExampleTests {
  private static let repository =
    URL(fileURLWithPath: #filePath).deletingLastPathComponent().path + "/../.."

  /// The pages that have examples.
  static let pages: [String] =
    ((try? FileManager.default.contentsOfDirectory(atPath: repository + "/man")) ?? []).sorted()

  @Test("there are pages to try")
  func count() { #expect(Self.pages.count > 10) }

  /// What a page or a document has one do, in its order.
  enum Step: Equatable {
    case file(String, String)
    case command(String)
  }

  @Test("those of a manual page do what they say", arguments: pages.filter { $0 != "imagemill-filters.7" })
  func manual(page: String) async throws {
    let text = try String(contentsOfFile: Self.repository + "/man/" + page, encoding: .utf8)
    let steps = Self.steps(ofPage: text)
    #expect(steps.contains { if case .command = $0 { true } else { false } }, "\(page) has no example")
    try await run(steps, of: page)
  }

  @Test("those of imagemill-filters(7) make images")
  func filters() async throws {
    let text = try String(contentsOfFile: Self.repository + "/man/imagemill-filters.7", encoding: .utf8)
    let lines = Self.steps(ofPage: text).compactMap { if case .command(let line) = $0 { line } else { nil } }
    #expect(lines.count > 30)
    let workshop = try Workshop()
    for line in lines {
      let outcome = try await workshop.run(line)
      #expect(outcome.status == 0, "\(line)\n\(outcome.errors)")
    }
  }

  @Test("those of the README do what they say")
  func readme() async throws {
    let text = try String(contentsOfFile: Self.repository + "/README.md", encoding: .utf8)
    let steps = Self.steps(ofMarkdown: text)
    #expect(steps.contains { if case .file = $0 { true } else { false } })
    #expect(steps.count > 2)
    try await run(steps, of: "README.md")
  }

  private func run(_ steps: [Step], of name: String) async throws {
    let workshop = try Workshop()
    for step in steps {
      switch step {
      case .file(let name, let text): try workshop.write(text, to: name)
      case .command(let line):
        let outcome = try await workshop.run(line)
        #expect(outcome.status == 0, "\(name): \(line)\n\(outcome.errors)")
      }
    }
  }

  /// A literal block is the file that the line before its macros names with `.Pa NAME`; another one with the command's
  /// name in it is a script, and one without is an explanation.
  static func steps(ofPage page: String) -> [Step] {
    var steps: [Step] = []
    var name: String?
    var block: [String]?
    for line in page.split(separator: "\n", omittingEmptySubsequences: false).map(String.init) {
      if line == ".Ed" {
        let text = (block ?? []).joined(separator: "\n")
        if let name {
          steps.append(.file(name, text + "\n"))
        } else if text.contains("imagemill ") {
          steps.append(.command(text))
        }
        (name, block) = (nil, nil)
      } else if block != nil {
        block?.append(plain(line))
      } else if line.hasPrefix(".Bd -literal") {
        block = []
      } else if line.hasPrefix(".Pa ") {
        name = String(line.dropFirst(4).prefix { $0 != " " })
      } else if line != "that holds" && line != ".Pp" {
        name = nil
      }
    }
    return steps
  }

  /// Blocks marked `sh` are commands; other blocks are files where the line above them names one in backquotes.
  static func steps(ofMarkdown text: String) -> [Step] {
    var steps: [Step] = []
    var (last, fence, block) = ("", nil as String?, [String]())
    for line in text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init) {
      if line.hasPrefix("```") {
        if let language = fence {
          let body = block.joined(separator: "\n")
          if language == "sh", !last.contains("<!-- command:"), !last.contains("<!-- not run") {
            steps.append(.command(body))
          } else if language != "sh", let name = last.firstMatch(of: #/`([\w.-]+\.\w+)`/#) {
            steps.append(.file(String(name.1), body + "\n"))
          }
          fence = nil
        } else {
          (fence, block) = (String(line.dropFirst(3)), [])
        }
      } else if fence != nil {
        block.append(line)
      } else if !line.isEmpty {
        last = line
      }
    }
    return steps
  }

  private static func plain(_ line: String) -> String {
    line.replacing("\\&", with: "").replacing("\\-", with: "-").replacing("\\(aq", with: "'")
      .replacing("\\(ga", with: "`").replacing("\\(ha", with: "^").replacing("\\(ti", with: "~")
      .replacing("\\e", with: "\\")
  }
}
