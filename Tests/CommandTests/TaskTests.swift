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

  /// The twelve tasks of a newcomer, each with words of the example that solves it with one command, and its page.
  static let examples: [(task: String, page: String, words: String)] = [
    ("a thumbnail", "convert", "-f fill:200x200 thumbnail.jpg"),
    ("a list on standard input", "pipe", "-o 'out/{index:03}-{name}.webp' < urls.txt"),
    ("what failed again", "run", "run --failed images.yaml"),
    ("a watermark of 30 % at the bottom right", "convert", "overlay:logo.png:southeast:10:10:size=30%"),
    ("a responsive set and its markup", "run", "--emit picture=hero.html"),
    ("a table with a size per row", "pipe", "-f 'fill:{w}x{h}'"),
    ("a header for a private bucket", "convert", "Authorization: Bearer"),
    ("without the network", "run", "run --offline"),
    ("outputs that aren't made any more", "run", "run --prune"),
    ("a round avatar with a border", "convert", "fill:96x96,circle,border:4:white"),
    ("a limited rate per host", "fetch", "fetch --limit-rate 500k"),
    ("a folder of HEIC and PNG beside the originals", "convert", "'photos/**/*.{heic,png}'"),
  ]

  private static let canRender = FileManager.default.fileExists(atPath: "/usr/bin/mandoc")

  @Test(
    "take one command, copied from the page as it is shown", .enabled(if: canRender),
    arguments: examples.map(\.task))
  func rendered(task: String) async throws {
    let example = try #require(Self.examples.first { $0.task == task })
    let workshop = try Workshop()
    let page = Self.tests + "/../../man/imagemill-\(example.page).1"
    let shown = try await workshop.command.run(
      ["mandoc", "-T", "utf8", "-O", "width=300", page], executable: "/usr/bin/env")
    // A terminal's page has each bold character twice.
    let text = shown.text.replacing(#/.\u{8}/#, with: "")
    let start = try #require(text.firstRange(of: "\nEXAMPLES\n")).upperBound
    let lines = text[start...].split(separator: "\n").map { $0.drop { $0 == " " } }
    let first = try #require(
      lines.firstIndex { line in
        line.contains("imagemill ") && line.contains(example.words)
          || line.hasPrefix("imagemill ") && line.hasSuffix("\\")
            && lines[(lines.firstIndex(of: line) ?? 0) + 1].contains(example.words)
      }, "\(task)")
    var copied = String(lines[first])
    var next = first + 1
    while copied.hasSuffix("\\") {
      copied += "\n" + lines[next]
      next += 1
    }
    let outcome = try await workshop.run(copied)
    // What an earlier run has left is not there for --failed.
    let isAlone = outcome.errors.contains("no earlier run")
    #expect(outcome.status == 0 || task == "what failed again" && isAlone, "\(copied)\n\(outcome.errors)")
  }

  @Test("use nothing that imagemill(1) doesn't tell", arguments: all)
  func told(task: Task) throws {
    let page = try String(contentsOfFile: Self.tests + "/../../man/imagemill.1", encoding: .utf8)
      .replacing("\\-", with: "-")
    for line in task.commands.split(separator: "\n") where line.hasPrefix("imagemill ") {
      let words = line.prefix { $0 != "|" }.split(separator: " ").map(String.init)
      #expect(page.contains(".It Cm \(words[1])\n"))
      for word in words.dropFirst(2) where word.hasPrefix("-") && word != "-" {
        #expect(page.contains("Fl \(word.dropFirst())"), "\(word)")
      }
    }
  }
}
