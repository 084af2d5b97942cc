import ArgumentParser
import Foundation
import ImageBatch
import ImageDownloads
import TestSupport
import Testing

@testable import Manifests
@testable import imagemill

/// Command lines that nobody would write, and some that anybody does: whatever the words, the answer is an exit status.
///
/// `IMAGEMILL_TEST_SEED` repeats a failure; `IMAGEMILL_TEST_COMMAND_LINES` (default: 1000) is how many are parsed.
@Suite("Random command lines", .timeLimit(.minutes(8)))
struct RandomCommandLineTests {
  private static let seed = SeededRandom.seed

  @Test("the directory of any path is a text", arguments: [".", "./", "/", "m", "é", "", "//", "-"])
  func directories(path: String) {
    #expect(!ManifestArguments.directory(of: path).isEmpty)
  }

  @Test("a path's directory and extension are those of the shell's tools")
  func parts() {
    let directories = [
      "a/b.yaml": "a", "b.yaml": ".", "/b.yaml": "/", "a/b/c": "a/b", "-": ".", ".": ".", "a//b": "a/",
      "a/\u{301}b": "a",
    ]
    for (path, directory) in directories {
      #expect(ManifestArguments.directory(of: path) == directory, "\(path)")
    }
  }

  @Test(
    "a manifest of any name ends with status 2 where it can't be read",
    arguments: ["run", "plan", "validate"])
  func manifests(name: String) async throws {
    let command = try CommandRun()
    for path in [".", "./", "..", "/", "m", "é", "x/", ".m", "//", "\u{301}"] {
      let outcome = try await command.run(name, path)
      #expect(outcome.status == 2, "\(path): \(outcome.errors)")
      #expect(outcome.errors.contains("error: can't be "), "\(path): \(outcome.errors)")
    }
  }

  private static let count =
    ProcessInfo.processInfo.environment["IMAGEMILL_TEST_COMMAND_LINES"].flatMap { Int($0) } ?? 1_000

  @Test("are parsed or refused with a message", arguments: 0..<2 as Range<UInt64>)
  func parsed(part: UInt64) {
    let seed = Self.seed &+ part
    print("IMAGEMILL_TEST_SEED=\(seed)")
    var words = CommandWords(seed: seed)
    var parsed = 0
    for number in 0..<Self.count / 2 {
      let arguments = words.line()
      do {
        try UsageErrorFormatter.check(arguments)
        let grouped = Operands.grouped(arguments)
        let type = Imagemill.configuration.subcommands.first { $0._commandName == arguments.first }
        // The parser of all commands takes many times as long as a command's own.
        if number % 25 != 0, let type {
          use(try type.parse(Array(grouped.dropFirst())))
        } else {
          use(try Imagemill.parseAsRoot(grouped))
        }
        parsed += 1
      } catch let error as CommandError {
        #expect(!error.message.isEmpty, "\(arguments)")
      } catch {
        #expect(!"\(error)".isEmpty, "\(arguments)")
        guard number % 25 == 0 else { continue }
        #expect(
          !UsageErrorFormatter.text(Imagemill.fullMessage(for: error), arguments: arguments).isEmpty,
          "\(arguments)")
      }
    }
    #expect(parsed > Self.count / 20)
  }

  @Test("end the built command with a status, never by a signal")
  func run() async throws {
    print("IMAGEMILL_TEST_SEED=\(Self.seed)")
    var words = CommandWords(seed: Self.seed)
    let command = try CommandRun()
    try command.write(PNGWords.image, to: "a.png")
    try command.write("a.png\n", to: "list.txt")
    try command.write("imagemill: 1\njobs:\n  - {source: ./a.png, output: o.webp}\n", to: "m.yaml")
    for _ in 0..<max(60, Self.count * 3 / 100) {
      let arguments = words.line()
      let process = command.process(arguments)
      process.standardInput = FileHandle.nullDevice
      process.standardOutput = FileHandle.nullDevice
      process.standardError = FileHandle.nullDevice
      try process.run()
      let watch = Task {
        try await Task.sleep(for: .seconds(300))
        kill(process.processIdentifier, SIGKILL)
      }
      await process.ended()
      watch.cancel()
      #expect(process.terminationReason == .exit, "imagemill \(arguments): \(process.terminationStatus)")
      #expect(
        ExitStatus(rawValue: process.terminationStatus) != nil,
        "imagemill \(arguments): \(process.terminationStatus)")
    }
  }

  /// What a command does first with what it was given.
  private func use(_ command: any ParsableCommand) {
    func attempt(_ body: () throws -> Void) {
      do { try body() } catch { #expect("\(error)" != "") }
    }
    switch command {
    case let command as RunCommand:
      for path in command.manifests { #expect(!ManifestArguments.directory(of: path).isEmpty) }
      attempt { _ = try command.jobs.output.chain() }
      attempt { _ = try OutputOptions.template(command.jobs.template) }
      attempt { _ = try command.jobs.output.sources() }
      attempt { _ = try command.downloads.configuration(cache: command.cache.settings) }
    case let command as ConvertCommand:
      for word in command.operands.words {
        attempt { _ = try ImageSource(argument: word) }
        attempt {
          _ = try command.outputs.encoding(
            for: OutputOptions.template(word),
            chain: try command.outputs.chain(for: ImageSource(argument: word)))
        }
      }
    case let command as PipeCommand:
      attempt { _ = try OutputOptions.template(command.output) }
      attempt { _ = try command.outputs.chain() }
    default: break
    }
  }
}

/// An image of one pixel.
private enum PNGWords {
  static let image: [UInt8] = [
    0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 13, 0x49, 0x48, 0x44, 0x52, 0, 0, 0, 1, 0, 0, 0,
    1,
    8, 0, 0, 0, 0, 0x3A, 0x7E, 0x9B, 0x55, 0, 0, 0, 10, 0x49, 0x44, 0x41, 0x54, 0x78, 0x9C, 0x63, 0x60, 0, 0,
    0,
    2, 0, 1, 0x48, 0xAF, 0xA4, 0x71, 0, 0, 0, 0, 0x49, 0x45, 0x4E, 0x44, 0xAE, 0x42, 0x60, 0x82,
  ]
}

/// Words of command lines, in any order: commands, options with and without values, and operands.
private struct CommandWords {
  private var random: SeededRandom
  private let commands: [(name: String, options: [String])]

  init(seed: UInt64) {
    random = SeededRandom(seed: seed)
    // Writing the manuals is the project's own business.
    let all = ((try? HelpDump.root().subcommands) ?? []).filter { $0.commandName != "manuals" }
    commands = all.map { command in
      let arguments =
        (command.arguments ?? []) + (command.subcommands ?? []).flatMap { $0.arguments ?? [] }
      let names = arguments.flatMap { $0.names ?? [] }
      let subcommands = (command.subcommands ?? []).map(\.commandName)
      return (
        command.commandName, names.map { $0.kind == "short" ? "-\($0.name)" : "--\($0.name)" } + subcommands
      )
    }
  }

  mutating func line() -> [String] {
    let command = commands.randomElement(using: &random) ?? ("run", [])
    var words = [Int.random(in: 0..<20, using: &random) == 0 ? value() : command.name]
    for _ in 0..<Int.random(in: 0...6, using: &random) {
      switch Int.random(in: 0..<10, using: &random) {
      case 0..<4: words.append(value())
      case 4: words.append((command.options.randomElement(using: &random) ?? "-x") + "=" + value())
      case 5..<9:
        words.append(command.options.randomElement(using: &random) ?? "--")
        if Bool.random(using: &random) { words.append(value()) }
      default: words.append(noise())
      }
    }
    // Credentials from standard input are not for a test's.
    for index in words.indices where index > 0 && words[index] == "-" {
      if ["-u", "--user"].contains(words[index - 1]) { words[index] = "." }
    }
    return words.map { $0 == "--user=-" || $0 == "-u=-" ? "-" : $0 }
  }

  private mutating func value() -> String {
    Self.values.randomElement(using: &random) ?? ""
  }

  private mutating func noise() -> String {
    var text = String.UnicodeScalarView()
    for _ in 0..<Int.random(in: 0...12, using: &random) {
      let range: ClosedRange<UInt32> = Bool.random(using: &random) ? 1...0x7E : 0xA0...0xD7FF
      if let scalar = Unicode.Scalar(UInt32.random(in: range, using: &random)) { text.append(scalar) }
    }
    // No path at all leads out of the test's directory.
    return String(text).replacing("/", with: "-")
  }

  private static let values = [
    "", " ", ".", "./", "..", "m", "é", "-", "--", "a.png", "m.yaml", "list.txt", "nowhere/x.yaml", "o.webp",
    "o.{ext}",
    "{name}", "{", "}", "{index:99999999999999999999}", "{hash:0}", "{}", "%", "%00", "%zz", "a\nb",
    "\u{301}", "🏖️",
    "0", "-1", "1", "2", "9223372036854775807", "-9223372036854775808", "99999999999999999999", "1e308",
    "nan", "inf",
    "-inf", "1.5", "0x10", "1e-400", "5s", "500ms", "1e300h", "nans", "-5s", "1GiB", "1e300GiB", "nanMB",
    "-1kB",
    "infGiB", "1/2", "2/1", "0/0", "9223372036854775807/9223372036854775807", "-1/-1", "/", "a=b", "=", "=x",
    "x=",
    "fit:8x8", "fit:0x0", "fit:99999999999999999999x1", "circle,circle", ",", ":", "fit:", "text:{name}",
    "blur:nan",
    "crop:1x1+99999999999999999999+0", "rotate:1e308", "rounded:-0", "pad:8x8:#", "tint:#ggg",
    "overlay:a.png",
    "http://", "http://[", "http://[::1", "http://127.0.0.1:99999/", "https://:@/", "http://a b/", "data:,x",
    "data:;base64,!",
    "file:", "file:///etc/passwd%00", "s3://x", "NAME: VALUE", ":", "NAME", "a: b\r\nc: d", "loopback", "all",
    "10.0.0.0/99",
    "::/200", "1.2.3.4/", "jpeg", "webp,avif", "auto", "same", "all", "first", "srgb", "keep", "#fff", "#",
    "red",
    "srcset=-", "image=p.html", "json=", "r.json", "r.ndjson", ".html", "e.ndjson", "csv", "ndjson", "bash",
    "zsh", "fish",
    "*", "[", "**/*", "?", "run", "stats", "fit", "stale", "none", "quiet",
  ]
}
