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
    for (name, size) in task.results { try await expect(name, size, in: workshop) }
  }

  /// Checks that a file is there, and that it is an image of this size.
  private func expect(_ name: String, _ size: [Int]?, in workshop: Workshop) async throws {
    let bytes = try #require(workshop.command.read(name), "\(name) is missing")
    #expect(!bytes.isEmpty)
    guard let size else { return }
    let told = try await workshop.command.run("inspect", "--json", name)
    let json = try #require(try JSONSerialization.jsonObject(with: told.output) as? [String: Any])
    #expect([json["width"] as? Int, json["height"] as? Int] == size, "\(name)")
  }

  /// A task of a newcomer, and the example that solves it.
  struct Example: CustomTestStringConvertible, Sendable {
    let testDescription: String
    /// The page, without `imagemill-`.
    let page: String
    /// Words of the example, which has one command.
    let words: String
    /// Commands that the task continues from.
    let before: String
    /// A path that the server lacks before, so that the commands before fail.
    let missing: String?
    /// The files that the command makes, with their sizes.
    let makes: [String: [Int]?]
    /// A file that the command removes.
    let removes: String?
    /// The paths that the command requests; nil for any.
    let requests: [String]?

    init(
      _ task: String, _ page: String, _ words: String, makes: [String: [Int]?] = [:], removes: String? = nil,
      requests: [String]? = nil, after before: String = "", missing: String? = nil
    ) {
      (testDescription, self.page, self.words, self.before) = (task, page, words, before)
      (self.makes, self.removes, self.requests, self.missing) = (makes, removes, requests, missing)
    }
  }

  static let examples = [
    Example("a thumbnail", "convert", "-f fill:200x200 thumbnail.jpg", makes: ["thumbnail.jpg": [200, 200]]),
    Example(
      "a list on standard input", "pipe", "-o 'out/{index:03}-{name}.webp' < urls.txt",
      makes: ["out/001-a.webp": nil, "out/002-b.webp": nil], requests: ["/a.jpg", "/b.jpg"]),
    Example(
      "what failed again", "run", "run --failed images.yaml", makes: ["images/team/ada.png": [64, 64]],
      requests: ["/team/ada.jpg"], after: "imagemill run images.yaml", missing: "/team/ada.jpg"),
    Example(
      "a watermark of 30 % at the bottom right", "convert", "overlay:logo.png:southeast:10:10:size=30%",
      makes: ["watermarked.jpg": nil]),
    Example(
      "a responsive set and its markup", "run", "--emit picture=hero.html",
      makes: [
        "hero.html": nil, "hero-200.webp": nil, "hero-200.jpg": nil, "hero-400.webp": nil,
        "hero-400.jpg": nil,
      ]),
    Example(
      "a table with a size per row", "pipe", "-f 'fill:{w}x{h}'",
      makes: ["sized/1815.png": [30, 20], "sized/1906.png": [20, 30]]),
    Example("a header for a private bucket", "convert", "Authorization: Bearer", makes: ["private.jpg": nil]),
    Example(
      "without the network", "run", "run --offline",
      makes: ["images/team/ada.png": [64, 64], "images/team/grace.jpg": [64, 64]], requests: [],
      after: "imagemill run images.yaml\nrm -r images"),
    Example(
      "outputs that aren't made any more", "run", "run --prune", makes: ["images/team/ada.png": nil],
      removes: "images/team/grace.jpg", after: "imagemill run images.yaml\nsed -i /grace/d images.yaml"),
    Example(
      "a round avatar with a border", "convert", "fill:96x96,circle,border:4:white",
      makes: ["bordered.png": [96, 96]]),
    Example(
      "a limited rate per host", "fetch", "fetch --limit-rate 500k", requests: ["/b.jpg", "/photo.jpg"]),
    Example(
      "a folder of HEIC and PNG beside the originals", "convert", "'photos/**/*.{heic,png}'",
      makes: ["photos/2026/b.webp": nil, "photos/2026/b.png": nil]),
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
    workshop.missing.set(example.missing)
    if !example.before.isEmpty {
      let before = try await workshop.run(example.before)
      #expect(before.status == (example.missing == nil ? 0 : 1), "\(before.errors)")
    }
    workshop.missing.set(nil)
    if let name = example.removes { #expect(workshop.command.read(name) != nil) }
    let earlier = workshop.server.requests.count
    let outcome = try await workshop.run(command)
    #expect(outcome.status == 0, "\(command)\n\(outcome.errors)")
    for (name, size) in example.makes { try await expect(name, size, in: workshop) }
    if let name = example.removes { #expect(workshop.command.read(name) == nil) }
    if let requests = example.requests {
      #expect(workshop.server.requests.dropFirst(earlier).map(\.path).sorted() == requests)
    }
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
