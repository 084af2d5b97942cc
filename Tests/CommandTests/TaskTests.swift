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
