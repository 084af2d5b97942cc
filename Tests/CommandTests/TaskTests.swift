import Foundation
import Testing

/// `Tasks.md`, task by task.
@Suite("Ten tasks", .timeLimit(.minutes(8)))
struct TaskTests {
  private static let tests = URL(fileURLWithPath: #filePath).deletingLastPathComponent().path

  struct Task: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let commands: String
    /// Files with the sizes that are promised, if any.
    let results: [(name: String, size: [Int]?)]
  }

  static let all: [Task] = {
    let text = (try? String(contentsOfFile: tests + "/Tasks.md", encoding: .utf8)) ?? ""
    return text.components(separatedBy: "\n## ").dropFirst().map { part in
      let commands = part.firstMatch(of: #/```sh\n([\s\S]*?)\n```/#).map { String($0.1) } ?? ""
      let promise = part.split(separator: "\n").last { $0.hasPrefix("Makes: ") } ?? ""
      let results = promise.matches(of: #/`([^`]+)`(?: (\d+)x(\d+))?/#).map { match in
        (String(match.1), match.2.flatMap { width in match.3.map { [Int(width) ?? 0, Int($0) ?? 0] } })
      }
      return Task(
        testDescription: String(part.prefix { $0 != "\n" }), commands: commands, results: results)
    }
  }()

  @Test("there are ten")
  func count() { #expect(Self.all.count == 10) }

  @Test("are solved by their commands", arguments: all)
  func solved(task: Task) async throws {
    let workshop = try Workshop()
    let outcome = try await workshop.run(task.commands)
    #expect(outcome.status == 0, "\(outcome.text)\(outcome.errors)")
    #expect(!task.results.isEmpty)
    for (name, size) in task.results {
      let bytes = try #require(workshop.command.read(name), "\(name) is missing")
      #expect(!bytes.isEmpty)
      if let size {
        let told = try await workshop.command.run("inspect", "--json", name)
        let json = try #require(try JSONSerialization.jsonObject(with: told.output) as? [String: Any])
        #expect([json["width"] as? Int, json["height"] as? Int] == size)
      }
    }
  }

  /// A task of a newcomer, and the example that solves it.
  struct Example: CustomTestStringConvertible, Sendable {
    let testDescription: String
    /// The page, without `imagemill-`.
    let page: String
    /// Words of the example, which has one command.
    let words: String
    /// A command that the task continues from.
    let before: String

    init(_ task: String, _ page: String, _ words: String, after before: String = "") {
      (testDescription, self.page, self.words, self.before) = (task, page, words, before)
    }
  }

  static let examples = [
    Example("a thumbnail", "convert", "-f fill:200x200 thumbnail.jpg"),
    Example("a list on standard input", "pipe", "-o 'out/{index:03}-{name}.webp' < urls.txt"),
    Example("what failed again", "run", "run --failed images.yaml", after: "imagemill run images.yaml"),
    Example(
      "a watermark of 30 % at the bottom right", "convert", "overlay:logo.png:southeast:10:10:size=30%"),
    Example("a responsive set and its markup", "run", "--emit picture=hero.html"),
    Example("a table with a size per row", "pipe", "-f 'fill:{w}x{h}'"),
    Example("a header for a private bucket", "convert", "Authorization: Bearer"),
    Example("without the network", "run", "run --offline", after: "imagemill run images.yaml"),
    Example("outputs that aren't made any more", "run", "run --prune"),
    Example("a round avatar with a border", "convert", "fill:96x96,circle,border:4:white"),
    Example("a limited rate per host", "fetch", "fetch --limit-rate 500k"),
    Example("a folder of HEIC and PNG beside the originals", "convert", "'photos/**/*.{heic,png}'"),
  ]

  private static let canRender = FileManager.default.fileExists(atPath: "/usr/bin/mandoc")

  /// The commands of a rendered page's EXAMPLES, with their continuation lines, as a reader copies them.
  private func commands(ofPage page: String) throws -> [String] {
    let start = try #require(page.firstRange(of: "\nEXAMPLES\n")).upperBound
    var commands: [String] = []
    var continues = false
    for line in page[start...].split(separator: "\n").map({ $0.drop { $0 == " " } }) {
      if continues { commands[commands.count - 1] += "\n" + line } else { commands.append(String(line)) }
      continues = line.hasSuffix("\\")
    }
    return commands.filter {
      $0.hasPrefix("imagemill ") || $0.hasPrefix("IMAGEMILL_") || $0.contains("| imagemill ")
    }
  }

  @Test(
    "take one command, copied from the page as it is shown", .enabled(if: canRender), arguments: examples)
  func rendered(example: Example) async throws {
    let workshop = try Workshop()
    let shown = try await workshop.command.run(
      [
        "mandoc", "-T", "utf8", "-O", "width=300",
        Self.tests + "/../../man/imagemill-\(example.page).1",
      ], executable: "/usr/bin/env")
    // A terminal's page has each bold character twice.
    let commands = try commands(ofPage: shown.text.replacing(#/.\u{8}/#, with: ""))
    let command = try #require(
      commands.first { $0.replacing("\\\n", with: "").contains(example.words) }, "\(commands)")
    if !example.before.isEmpty {
      let before = try await workshop.run(example.before)
      #expect(before.status == 0, "\(before.errors)")
    }
    let outcome = try await workshop.run(command)
    #expect(outcome.status == 0, "\(command)\n\(outcome.errors)")
  }

  private func page(_ name: String) throws -> String {
    try String(contentsOfFile: Self.tests + "/../../man/\(name)", encoding: .utf8).replacing("\\-", with: "-")
  }

  @Test("use nothing that the page of their command doesn't tell", arguments: all)
  func told(task: Task) throws {
    let overview = try page("imagemill.1")
    for line in task.commands.split(separator: "\n") where line.hasPrefix("imagemill ") {
      let words = line.prefix { $0 != "|" }.split(separator: " ").map(String.init)
      #expect(overview.contains(".It Cm \(words[1])\n"))
      let page = try page("imagemill-\(words[1]).1")
      for word in words.dropFirst(2) where word.hasPrefix("-") && word != "-" {
        #expect(page.contains("Fl \(word.dropFirst())"), "\(word)")
      }
    }
  }
}
