import Foundation
import LoopbackServer
import Testing

@testable import imagemill

/// What every command does when standard output, or a file that it writes, takes no more.
@Suite("Standard output that takes no more", .timeLimit(.minutes(8)))
struct StandardOutputTests {
  private let command: CommandRun
  private let server: LoopbackServer

  /// Arguments of commands that print something, with what they read. SERVER stands for a server's address.
  static let printing: [[String]] = [
    ["--help"], ["--version"], ["run", "--help"], ["help"], ["help", "manifest"], ["config"],
    ["config", "--json"], ["cache", "limit"], ["schema"], ["schema", "result"], ["init", "-o", "-"],
    ["filters"],
    ["filters", "fill"], ["filters", "--names"], ["formats"], ["formats", "webp"], ["completions", "bash"],
    ["completions", "zsh"], ["completions", "fish"], ["doctor"], ["doctor", "--json"], ["cache", "path"],
    ["cache", "stats"], ["cache", "stats", "--json"], ["cache", "list"], ["cache", "list", "--json"],
    ["cache", "verify"], ["cache", "purge"], ["cache", "explain", "made.webp"],
    ["cache", "explain", "--json", "made.webp"], ["plan", "m.yaml"], ["plan", "--json", "m.yaml"],
    ["plan", "--dot", "m.yaml"], ["run", "--dry-run", "m.yaml"], ["run", "-q", "--events", "-", "m.yaml"],
    ["run", "-q", "--emit", "srcset=-", "m.yaml"], ["run", "-q", "--emit", "json=-", "m.yaml"],
    ["run", "-q", "--report", "-", "m.yaml"], ["run", "-q", "--lock", "-", "m.yaml"],
    ["pipe", "-q", "-o", "{name}.webp"], ["pipe", "-q", "--json", "-o", "{name}.webp"],
    ["pipe", "-q", "--ordered", "-o", "{name}.webp"], ["pipe", "-q", "-0", "-o", "{name}.webp"],
    ["pipe", "--dry-run", "-o", "{name}.webp"], ["convert", "a.png", "-", "--format", "png"],
    ["convert", "-", "-", "--format", "webp"], ["inspect", "a.png"], ["inspect", "--json", "a.png"],
    ["fetch", "--allow-net", "loopback", "SERVER/a"],
    ["fetch", "--allow-net", "loopback", "--json", "SERVER/a"],
    ["fetch", "--allow-net", "loopback", "-o", "-", "SERVER/a"],
    ["ls", "--allow-net", "loopback", "--s3-endpoint", "SERVER", "s3://b"],
    ["ls", "--json", "--allow-net", "loopback", "--s3-endpoint", "SERVER", "s3://b"],
    ["report", "merge", "r.ndjson", "-o", "-"],
  ]

  private static let listing = Page(
    text: "<ListBucketResult><Contents><Key>a.png</Key><Size>9</Size></Contents></ListBucketResult>",
    type: "application/xml")

  init() throws {
    command = try CommandRun()
    let image = PNGImage.bytes(width: 40, height: 30)
    server = try LoopbackServer { request in
      request.path == "/b" ? Self.listing : Page(image, type: "image/png")
    }
    try command.write(image, to: "a.png")
    try command.write("imagemill: 1\njobs:\n  - {source: ./a.png, output: made.webp}\n", to: "m.yaml")
  }

  /// What is read: an image, a path, or nothing.
  private static func input(_ arguments: [String]) -> String {
    switch arguments.first {
    case "convert": "< a.png"
    case "pipe": arguments.contains("-0") ? "< <(printf 'a.png\\0')" : "<<< a.png"
    default: "< /dev/null"
    }
  }

  /// Runs the command with a redirection of the shell's.
  private func run(_ arguments: [String], _ redirection: String) async throws -> CommandRun.Outcome {
    // Something to list, to explain and to merge.
    if ["cache", "report"].contains(arguments.first) {
      try await command.run("run", "--report", "r.ndjson", "m.yaml")
    }
    let words = arguments.map { "'\($0.replacing("SERVER", with: server.url("")))'" }.joined(separator: " ")
    return try await command.run(
      ["-c", "'\(CommandRun.executable)' \(words) \(Self.input(arguments)) \(redirection)"],
      executable: "/bin/bash")
  }

  @Test("a full disk is a message and status 1", arguments: printing)
  func full(arguments: [String]) async throws {
    let outcome = try await run(arguments, "> /dev/full")
    #expect(outcome.status == 1, "\(outcome.errors)")
    #expect(
      outcome.errors.contains("can't write standard output: No space left on device"), "\(outcome.errors)")
  }

  @Test("a closed reader is a quiet end, and no failure", arguments: printing)
  func closedReader(arguments: [String]) async throws {
    // The reader is gone before anything is written.
    let outcome = try await run(
      arguments, "> >(exec true) 2> errors; echo $? > status; cat errors >&2; exit $(cat status)")
    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(outcome.errors.isEmpty, "\(outcome.errors)")
  }

  @Test(
    "a closed stream is a message and status 1",
    arguments: printing.filter {
      ["schema", "--version", "plan", "pipe", "convert"].contains($0[0]) || $0.contains("--report")
    })
  func closed(arguments: [String]) async throws {
    let outcome = try await run(arguments, ">&-")
    #expect(outcome.status == 1, "\(outcome.errors)")
    #expect(
      outcome.errors.contains("can't write standard output: it isn't open for writing"), "\(outcome.errors)")
  }

  @Test(
    "closed streams are never another file of the command's",
    arguments: [">&-", "2>&-", "<&-", ">&- 2>&-", "<&- >&- 2>&-"])
  func noOther(closing: String) async throws {
    let first = try await run(["run", "--events", "-", "--report", "r.json", "-v", "m.yaml"], closing)
    #expect([0, 1].contains(first.status))
    let cache = try await command.run("cache", "verify")
    #expect(cache.status == 0 && !cache.errors.contains("imagemill:"), "\(cache.errors)")
    #expect(try await command.run("run", "m.yaml").status == 0)
  }

  @Test("every command is among those that are tried, or prints nothing")
  func complete() {
    let tried = Set(Self.printing.compactMap(\.first))
    let all = Imagemill.configuration.subcommands.filter { $0.configuration.shouldDisplay }
    let silent: Set = ["validate"]
    for name in all.compactMap({ $0.configuration.commandName }) {
      #expect(tried.contains(name) || silent.contains(name), "\(name)")
    }
  }

  private static let canMount: Bool = {
    let probe = Process()
    probe.executableURL = URL(fileURLWithPath: "/usr/bin/unshare")
    probe.arguments = ["-m", "mount", "-t", "tmpfs", "none", "/mnt"]
    probe.standardError = FileHandle.nullDevice
    do { try probe.run() } catch { return false }
    probe.waitUntilExit()
    return probe.terminationStatus == 0
  }()

  @Test(
    "a file system that fills up on the way is a message and status 1", .enabled(if: canMount),
    arguments: [
      ["convert", "big.png", "-", "--format", "png"], ["schema"], ["help", "filters"],
      ["fetch", "--allow-net", "loopback", "-o", "-", "SERVER/a"],
    ])
  func fillsUp(arguments: [String]) async throws {
    try FileManager.default.createDirectory(atPath: command.work + "/full", withIntermediateDirectories: true)
    try command.write(PNGImage.bytes(width: 900, height: 700), to: "big.png")
    let words = arguments.map { "'\($0.replacing("SERVER", with: server.url("")))'" }.joined(separator: " ")
    // 4 KiB are one page: nothing here is shorter but the small image.
    let script = """
      mount -t tmpfs -o size=4k none full && { [ \(arguments[0]) != fetch ] || head -c 4090 /dev/zero > full/rest; }
      '\(CommandRun.executable)' \(words) > full/out
      """
    let outcome = try await command.run(["-m", "bash", "-c", script], executable: "/usr/bin/unshare")
    #expect(outcome.status == 1, "\(outcome.errors)")
    #expect(
      outcome.errors.contains("can't write standard output: No space left on device"), "\(outcome.errors)")
  }

  @Test(
    "a report, a page, events or a lock that can't be written are a message and status 1, after the work",
    arguments: [
      ["--report", "r.html"], ["--report", "r.ndjson"], ["--emit", "srcset=r.html"],
      ["--emit", "json=r.json"],
      ["--events", "r.json"],
    ])
  func files(option: [String]) async throws {
    let name = option[1].split(separator: "=").last.map(String.init) ?? ""
    try FileManager.default.createSymbolicLink(
      atPath: command.work + "/" + name, withDestinationPath: "/dev/full")
    let outcome = try await command.run(arguments: ["run", "-q"] + option + ["m.yaml"])
    #expect(outcome.status == 1)
    #expect(outcome.errors.contains(name), "\(outcome.errors)")
    #expect(outcome.errors.contains("No space left on device"), "\(outcome.errors)")
    #expect(command.read("made.webp") != nil)
  }

  @Test("a lock that can't be written is a message and status 1, and no device is replaced")
  func lock() async throws {
    let outcome = try await command.run("run", "-q", "--lock", "/dev/full", "m.yaml")
    #expect(outcome.status == 1)
    #expect(outcome.errors.contains("/dev/full"), "\(outcome.errors)")
    var status = stat()
    #expect(stat("/dev/full", &status) == 0 && status.st_mode & S_IFMT == S_IFCHR)
  }

  @Test(
    "two that want standard output are a mistake",
    arguments: [
      ["run", "--events", "-", "--report", "-", "m.yaml"],
      ["run", "--emit", "srcset=-", "--emit", "json=-", "m.yaml"],
      ["run", "--lock", "-", "--events", "-", "m.yaml"], ["pipe", "--events", "-", "-o", "{name}.webp"],
      ["pipe", "--report", "-", "-o", "{name}.webp"],
    ])
  func owners(arguments: [String]) async throws {
    let outcome = try await command.run(arguments: arguments)
    #expect(outcome.status == 2)
    #expect(outcome.errors.contains("standard output"), "\(outcome.errors)")
    #expect(outcome.output.isEmpty)
    #expect(command.files == ["a.png", "m.yaml"])
  }

  @Test("'-' is standard output for reports, markup and locks, and nothing else is printed there")
  func streams() async throws {
    let report = try await command.run(
      "run", "--report", "-", "m.yaml", environment: ["GITHUB_ACTIONS": "true"])
    #expect(report.status == 0, "\(report.errors)")
    #expect(report.lines.count == 1)
    #expect(try JSONSerialization.jsonObject(with: report.output) is [String: Any])
    let markup = try await command.run("run", "--emit", "srcset=-", "m.yaml")
    #expect(markup.text.hasPrefix("<img src=\"made.webp\""), "\(markup.text)")
    let lock = try await command.run("run", "--lock", "-", "m.yaml")
    #expect(try JSONSerialization.jsonObject(with: lock.output) is [String: Any])
    #expect(command.files == ["a.png", "m.yaml", "made.webp"])
  }
}
