import Foundation
import LoopbackServer
import TestSupport
import Testing

/// A user who makes one to three slips in a command line, a list or a manifest that was right.
///
/// `IMAGEMILL_TEST_SEED` repeats a failure; `IMAGEMILL_TEST_RANDOM_USERS` (default: 60) is the number of attempts.
@Suite("A random user", .timeLimit(.minutes(60)))
struct RandomUserTests {
  private static let count =
    ProcessInfo.processInfo.environment["IMAGEMILL_TEST_RANDOM_USERS"].flatMap { Int($0) } ?? 60
  private static let sources = ["in/a.png", "in/b.png", "in/c.png", "in/d.png"]

  private let command: CommandRun

  init() throws {
    command = try CommandRun()
    try FileManager.default.createDirectory(
      atPath: command.work + "/in", withIntermediateDirectories: true)
    for (index, name) in (Self.sources + ["in/logo.png"]).enumerated() {
      try command.write(PNGImage.bytes(width: 20 + index, height: 10), to: name)
    }
  }

  private func originals() -> [Data?] { (Self.sources + ["in/logo.png"]).map { command.read($0) } }

  /// The files below an attempt's output directory.
  private func made(_ directory: String) -> [String] {
    command.files.filter { $0.hasPrefix(directory + "/") }
  }

  /// The files that commands have made.
  private var files: [String] { command.files.filter { !$0.hasPrefix("in/") && $0 != "m.yaml" } }

  @Test("breaks nothing: what is right is made, whole, and the sources stay")
  func right() async throws {
    print("IMAGEMILL_TEST_SEED=\(SeededRandom.seed)")
    var user = RandomUser(seed: SeededRandom.seed)
    for number in 0..<max(8, Self.count / 10) {
      let attempt = user.attempt(number)
      let outcome = try await run(attempt)
      #expect(outcome.status == 0, "\(attempt)\n\(outcome.errors)")
      #expect(made(attempt.directory).count == attempt.outputs, "\(attempt)\n\(outcome.errors)")
    }
  }

  @Test(
    "is told what is wrong and where, loses no source, and never gets less than was asked for with status 0")
  func slips() async throws {
    print("IMAGEMILL_TEST_SEED=\(SeededRandom.seed)")
    var user = RandomUser(seed: SeededRandom.seed &+ 1)
    let before = originals()
    var statuses: [Int32: Int] = [:]
    for number in 0..<Self.count {
      var attempt = user.attempt(number)
      user.slip(&attempt)
      for name in files { try FileManager.default.removeItem(atPath: command.work + "/" + name) }
      let outcome = try await run(attempt)
      statuses[outcome.status, default: 0] += 1
      let label: Comment =
        "attempt \(number): \(attempt)\n[\(outcome.status)] \(outcome.text)\(outcome.errors)"
      #expect([0, 1, 2, 75].contains(outcome.status), label)
      #expect(originals() == before, label)
      #expect(!outcome.errors.contains("Fatal error"), label)
      if outcome.status == 0 { expectWhole(attempt, outcome, label) } else { expectNamed(outcome, label) }
    }
    // A user who is never wrong, or always, would test nothing.
    #expect(Self.count < 500 || statuses[0] ?? 0 > 0 && statuses[2] ?? 0 > 0, "\(statuses)")
  }

  /// What a run with status 0 says that it made is there.
  private func expectWhole(_ attempt: RandomUser.Attempt, _ outcome: CommandRun.Outcome, _ label: Comment) {
    #expect(!outcome.errors.contains("error:") && !outcome.errors.contains(" failed"), label)
    guard attempt.makesFiles else { return }
    for line in outcome.lines where attempt.words.first == "pipe" {
      #expect(command.read(line) != nil, label)
    }
    // One conversion prints no totals.
    if attempt.words.first == "convert" { #expect(!files.isEmpty, label) }
    guard let total = outcome.errors.firstMatch(of: #/outputs (\d+): (.*?);/#), let count = Int(total.1)
    else {
      return
    }
    func number(_ status: String) -> Int {
      total.2.split(separator: ", ").first { $0.hasSuffix(" \(status)") }
        .flatMap { Int($0.prefix { $0.isNumber }) } ?? 0
    }
    let made = number("written") + number("cached")
    #expect(made + number("unchanged") == count && made > 0, label)
    // What is asked for twice may be written twice. The directory's own name may have had the slip.
    if !attempt.asksTwice { #expect(files.count >= made, label) }
    if attempt.words.first == "pipe", attempt.words.allSatisfy({ !$0.contains("in/") }) {
      let asked = attempt.input.split(separator: "\n").filter { line in
        let text = line.drop { $0 == " " || $0 == "\t" }
        return !text.isEmpty && text.first != "#" && text.contains { $0 != "\r" }
      }
      #expect(count == asked.count, label)
    }
  }

  /// Each mistake begins with its place or with the program's name, and says something.
  private func expectNamed(_ outcome: CommandRun.Outcome, _ label: Comment) {
    let lines = outcome.errors.split(separator: "\n")
    let named = lines.filter { line in
      // The name of a file may begin with a blank.
      line.hasPrefix("imagemill: ") || line.contains(#/^.+: error: ./#)
    }
    // A later line may be the manifest's first, 'imagemill: 1'.
    #expect(named.first.map { $0.utf8.count > "imagemill: x".utf8.count } == true, label)
  }

  private func run(_ attempt: RandomUser.Attempt) async throws -> CommandRun.Outcome {
    if let manifest = attempt.manifest { try command.write(manifest, to: "m.yaml") }
    return try await command.run(
      ["60", CommandRun.executable] + attempt.words, input: Data(attempt.input.utf8),
      executable: "/usr/bin/timeout")
  }
}

/// Makes right command lines, and slips in them.
private struct RandomUser {
  struct Attempt: CustomStringConvertible {
    var words: [String]
    var input = ""
    var manifest: String?
    var directory: String
    /// The number of files that the right command makes.
    var outputs: Int

    /// Whether the command still is one that makes files, and not a request for help.
    var makesFiles: Bool {
      ["run", "pipe", "convert"].contains(words.first ?? "")
        && !words.contains { ["-h", "--help", "--version", "-n", "--dry-run"].contains($0) }
    }

    /// Whether a source, a manifest or a line is repeated.
    var asksTwice: Bool {
      let lines = (manifest ?? "").split(separator: "\n")
      return Set(words).count < words.count || Set(lines).count < lines.count
    }

    var description: String {
      "imagemill \(words)\(input.isEmpty ? "" : " <<< \(input.debugDescription)")\(manifest.map { "\n" + $0 } ?? "")"
    }
  }

  private var random: SeededRandom
  private static let sources = ["in/a.png", "in/b.png", "in/c.png", "in/d.png"]

  init(seed: UInt64) { random = SeededRandom(seed: seed) }

  private mutating func pick<Element>(_ values: [Element]) -> Element {
    values[Int.random(in: values.indices, using: &random)]
  }

  private mutating func chain() -> String {
    (0..<Int.random(in: 1...3, using: &random)).map { _ in
      pick([
        "fit:8x8", "fill:9x7:north", "limit:12x", "scale:50%", "circle", "border:2:red", "rounded:20%",
        "blur:2",
        "rotate:90", "flip", "grayscale", "overlay:in/logo.png:southeast:1:1:0.5", "text:Hi:sans:8",
        "crop:5x5+1+1:clip=true,flop", "pad:20x20:background=#fff", "tint:#ff000080", "sharpen",
        "extend:2:background=blue",
      ])
    }.joined(separator: ",")
  }

  private mutating func options() -> [String] {
    let all = [
      ["--format", "webp"], ["--metadata", "none"], ["--max-bytes", "10M"], ["--timeout", "5"],
      ["--retries", "0"], ["--encode", "effort=1"], ["--quality", "70"], ["--background", "white"],
      ["--cache-intermediates", "never"], ["--memory", "1GiB"], ["--limit-rate", "1M"],
    ]
    return (0..<Int.random(in: 0...2, using: &random)).flatMap { _ in
      let option = pick(all)
      return option
    }
  }

  /// A right command line. Outputs go to a directory of the attempt's own.
  mutating func attempt(_ number: Int) -> Attempt {
    let directory = "o\(number)"
    let options = options().isEmpty ? [] : self.options()
    switch Int.random(in: 0..<5, using: &random) {
    case 0:
      let only = options.filter { $0 != "--cache-intermediates" && $0 != "never" }
      return Attempt(
        words: ["convert"] + only + ["-f", chain(), pick(Self.sources), "\(directory)/x.webp"],
        directory: directory, outputs: 1)
    case 1:
      let only = options.filter { $0 != "--cache-intermediates" && $0 != "never" }
      return Attempt(
        words: ["convert"] + only + ["-f", chain(), "-o", "\(directory)/{name}.webp"] + Self.sources,
        directory: directory, outputs: Self.sources.count)
    case 2:
      return Attempt(
        words: ["pipe"] + options + ["-f", chain(), "-o", "\(directory)/{name}-{index:03}.webp"],
        input: Self.sources.joined(separator: "\n") + "\n", directory: directory,
        outputs: Self.sources.count)
    default:
      let (text, count) = manifest(directory)
      // Some of a manifest's outputs are PNG files, whose encoder has no effort.
      let only = options.filter { $0 != "--encode" && $0 != "effort=1" }
      return Attempt(
        words: ["run"] + only + ["m.yaml"], manifest: text, directory: directory, outputs: count)
    }
  }

  private mutating func manifest(_ directory: String) -> (text: String, count: Int) {
    var text = "imagemill: 1\n"
    if Bool.random(using: &random) { text += "settings: {timeout: 30, per-host: 2}\n" }
    if Bool.random(using: &random) { text += "sources:\n  logo: in/logo.png\n" }
    text += "filters:\n  small: limit:10x10\n  round:\n    - fill: {width: 8, height: 8}\n    - circle\n"
    if Bool.random(using: &random) { text += "defaults: {quality: 75, metadata: none}\n" }
    text += "jobs:\n"
    var count = 0
    for job in 0..<Int.random(in: 1...4, using: &random) {
      let source = pick(Self.sources)
      switch Int.random(in: 0..<4, using: &random) {
      case 0:
        text += "  - source: \(source)\n    filter: \"\(chain())\"\n    output: \(directory)/j\(job).webp\n"
        count += 1
      case 1:
        text +=
          "  - {source: ./\(source), filter: round, output: \"\(directory)/j\(job).{ext}\", format: png}\n"
        count += 1
      case 2:
        text += """
            - source: \(source)
              variables: {slug: s\(job)}
              outputs:
                - {output: "\(directory)/{slug}-{width}.{ext}", filter: "limit:{width}x", matrix: {width: [5, 9], format: [webp, jpeg]}}
                - {output: \(directory)/j\(job)-card.jpg, filter: small, quality: 85, encode: {progressive: true}}

          """
        count += 5
      default:
        text += "  - from: in/[ab].png\n    filter: small\n    output: \"\(directory)/j\(job)-{name}.webp\"\n"
        count += 2
      }
    }
    return (text, count)
  }

  // MARK: Slips

  /// Makes one to three slips.
  mutating func slip(_ attempt: inout Attempt) {
    for _ in 0..<Int.random(in: 1...3, using: &random) {
      switch Int.random(in: 0..<3, using: &random) {
      case 0: slip(inWords: &attempt.words)
      case 1 where attempt.manifest != nil: attempt.manifest = slipped(attempt.manifest ?? "")
      case 1 where !attempt.input.isEmpty: attempt.input = slipped(attempt.input)
      default:
        guard attempt.words.count > 1 else { return }
        let place = Int.random(in: 1..<attempt.words.count, using: &random)
        attempt.words[place] = slipped(attempt.words[place])
      }
    }
    // A user with no command at all reads the help; names never lead out of the directory, or into the sources.
    if attempt.words.isEmpty { attempt.words = ["run"] }
    attempt.words = attempt.words.map { $0.replacing("..", with: ".") }
  }

  private mutating func slip(inWords words: inout [String]) {
    guard words.count > 1 else { return }
    let place = Int.random(in: 1..<words.count, using: &random)
    switch Int.random(in: 0..<4, using: &random) {
    case 0: words.remove(at: place)
    case 1: words.insert(words[place], at: place)
    case 2 where place + 1 < words.count: words.swapAt(place, place + 1)
    default:
      words[place] = pick([
        "", "-", "--", "0", "-1", "webp", "{name}", "#", "none.png", "é", "-x", "--qality",
      ])
    }
  }

  /// The text with a character too few, too many, swapped, or another one; or a line less or twice.
  private mutating func slipped(_ text: String) -> String {
    var characters = Array(text)
    guard !characters.isEmpty else { return "x" }
    let place = Int.random(in: characters.indices, using: &random)
    switch Int.random(in: 0..<6, using: &random) {
    case 0: characters.remove(at: place)
    case 1: characters.insert(characters[place], at: place)
    case 2 where place + 1 < characters.count: characters.swapAt(place, place + 1)
    case 3: characters.insert(pick(Array("x0 :,{}[]\"'#-\t%=é*&!|>@`")), at: place)
    case 4 where text.contains("\n"):
      var lines = text.components(separatedBy: "\n")
      let line = Int.random(in: lines.indices, using: &random)
      if Bool.random(using: &random) { lines.remove(at: line) } else { lines.insert(lines[line], at: line) }
      return lines.joined(separator: "\n")
    default: characters[place] = pick(Array("x0 :,{}[]\"'#-\t%=é*&!|>@`"))
    }
    return String(characters)
  }
}
