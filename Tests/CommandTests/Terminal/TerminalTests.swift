import Foundation
import LoopbackServer
import Testing

@Suite(
  "A run on a terminal", .enabled(if: FileManager.default.isExecutableFile(atPath: TerminalSession.setsid)),
  .timeLimit(.minutes(8)))
struct TerminalTests {
  private let command: CommandRun
  private let gate = Gate()
  private let server: LoopbackServer
  /// Names that take two columns a character, join, turn the direction round, or would clear the screen.
  private static let names = [
    "猫と犬の写真猫と犬の写真猫と犬の写真猫と犬の写真", "👩‍👩‍👧🏖️🇨🇭❤️👍🏽", "e\u{301}\u{202E}gnp", "\u{1B}[2J\u{1B}[31m\r\u{9B}",
  ]

  /// What waits for the gate isn't given up, however long a busy machine takes.
  private static let options = "--allow-net loopback --retries 0 --stall-timeout 5m --timeout 8m"

  init() throws {
    command = try CommandRun()
    let gate = gate
    server = try LoopbackServer { request in
      switch request.path {
      case let path where path.hasPrefix("/late"):
        Page(PNGImage.bytes(width: 90, height: 90), type: "image/png", gate: gate)
      case "/slow.png":
        Page(
          PNGImage.bytes(width: 300, height: 300), type: "image/png",
          fault: .drip(bytes: 4000, milliseconds: 20))
      case let path where path.hasPrefix("/none"): .notFound
      default: Page(PNGImage.bytes(width: 60, height: 60), type: "image/png")
      }
    }
  }

  /// Images of hostile names, one that isn't there, one that comes slowly, and some that wait for the gate.
  private func manifest() throws {
    var jobs = Self.names.enumerated().map { index, name in
      let escaped = name.unicodeScalars.map { "\\U\(String($0.value, radix: 16).leftPadded(to: 8))" }.joined()
      // No address has a control character in it; a file's name may.
      let place = index == Self.names.count - 1 ? "./" : server.url("/")
      return "{source: \"\(place)\(escaped).png\", output: \"\(index).png\"}"
    }
    for name in Self.names.suffix(1) {
      try command.write(PNGImage.bytes(width: 60, height: 60), to: name + ".png")
    }
    jobs.append("{source: \"\(server.url("/none.png"))\", output: none.png}")
    jobs.append("{source: \"\(server.url("/slow.png"))\", output: slow.png}")
    jobs += (0..<3).map { "{source: \"\(server.url("/late\($0).png"))\", output: late\($0).png}" }
    try command.write("imagemill: 1\njobs:\n" + jobs.map { "  - \($0)\n" }.joined(), to: "m.yaml")
  }

  private func run(
    columns: Int, environment: [String: String] = [:], options: String = ""
  ) throws -> TerminalSession {
    try manifest()
    return try TerminalSession(
      "imagemill run \(Self.options) \(options) m.yaml", in: command, columns: columns,
      environment: environment)
  }

  private var complaint: String {
    "m.yaml:7:5: error: \(server.url("/none.png")): download: the server returned 404 OK"
  }

  /// The lines that may stand on the terminal in the end, and nothing else.
  private func expectClean(
    _ session: TerminalSession, _ last: String, ignoring progress: String? = nil,
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let screen = session.screen
    let lines = screen.lines.filter { line in progress.map { !line.hasPrefix($0) } ?? true }
    #expect(lines.count == 3, "\(lines)", sourceLocation: sourceLocation)
    #expect(
      lines.first?.hasPrefix(complaint) == true, "\(lines)", sourceLocation: sourceLocation)
    #expect(
      lines.dropLast().last?.hasPrefix(last) == true, "\(lines)", sourceLocation: sourceLocation
    )
    // The command that goes on from here.
    #expect(
      lines.last?.contains(": imagemill run ") == true, "\(lines)",
      sourceLocation: sourceLocation)
    #expect(screen.isCursorBelow && !screen.isCursorHidden, sourceLocation: sourceLocation)
    #expect(screen.unknown.isEmpty, "\(screen.unknown)", sourceLocation: sourceLocation)
    // Messages are as long as they are; what is drawn anew keeps to the width.
    for row in screen.broken {
      #expect(
        ["m.yaml:", "jobs 9", "to ", progress ?? "to "].contains { row.hasPrefix($0) }, "\(row)",
        sourceLocation: sourceLocation)
    }
  }

  @Test("leaves nothing but messages, whatever the width and the names", arguments: [200, 80, 40, 20])
  func widths(columns: Int) async throws {
    let session = try run(columns: columns)
    #expect(
      try await session.wait { screen in
        screen.lines.contains { $0.hasPrefix("6 of 9 jobs") || $0.hasPrefix("6/9") }
      }, "\(session.lines)")
    #expect(session.lines.first?.hasPrefix(complaint) == true, "\(session.lines)")
    #expect(session.lines.contains { $0.hasPrefix("  ") && $0.contains(".png") }, "\(session.lines)")
    gate.open()
    #expect(try await session.end() == 1)
    #expect(!session.screen.hasColor)
    expectClean(session, "jobs 9: 8 done, 1 failed;")
  }

  @Test(
    "leaves nothing behind when its terminal changes its width",
    arguments: [[200, 40, 20, 120], [30, 90, 25]])
  func resizing(widths: [Int]) async throws {
    let session = try run(columns: widths[0], environment: ["NO_COLOR": ""])
    for columns in widths {
      try await session.resize(columns: columns, rows: 50)
      #expect(
        try await session.wait { screen in
          // The server's three held downloads are named, in as much room as there is.
          let shown = screen.lines.filter { $0.hasPrefix("  ") && $0.contains(".png") }
          return screen.isDrawnForWidth && shown.count >= 3
            && screen.lines.filter { $0.contains(" MB/s") || $0.contains("B/s") }.count == 1
        }, "\(columns): \(session.lines)")
    }
    gate.open()
    #expect(try await session.end() == 1)
    #expect(session.screen.hasColor)
    expectClean(session, "jobs 9: 8 done, 1 failed;")
  }

  @Test("ends clean at Ctrl-C and at SIGTERM", arguments: [130, 143] as [Int32])
  func signals(status: Int32) async throws {
    let session = try run(columns: 60, options: "--report r.json")
    #expect(try await session.wait { $0.lines.contains { $0.hasPrefix("6 of 9 jobs") } }, "\(session.lines)")
    if status == 130 { session.press("\u{3}") } else { kill(session.foreground, SIGTERM) }
    #expect(try await session.end() == status)
    expectClean(session, "jobs 9: 5 done, 1 failed;")
    let report = String(decoding: try #require(command.read("r.json")), as: UTF8.self)
    #expect(report.contains(#""jobsNotStarted":3,"#), "\(report.prefix(300))")
    gate.open()
  }

  @Test("leaves the terminal to the shell while it is stopped, and comes back")
  func stopping() async throws {
    try manifest()
    let session = try TerminalSession(
      "set -m; '\(CommandRun.executable)' run \(Self.options) m.yaml; echo the shell; read line; fg >/dev/null",
      in: command, columns: 60)
    #expect(try await session.wait { $0.lines.contains { $0.hasPrefix("6 of 9 jobs") } }, "\(session.lines)")
    session.press("\u{1A}")
    #expect(try await session.wait { $0.lines.last == "the shell" }, "\(session.lines)")
    #expect(!session.lines.contains { $0.contains("of 9 jobs") || $0.contains("B/s") }, "\(session.lines)")
    session.press("\n")
    #expect(try await session.wait { $0.lines.contains { $0.hasPrefix("6 of 9 jobs") } }, "\(session.lines)")
    gate.open()
    #expect(try await session.end() == 1)
    #expect(session.lines.first?.hasPrefix(complaint) == true && session.lines.contains("the shell"))
    #expect(
      session.lines.contains { $0.hasPrefix("jobs 9: 8 done, 1 failed;") }, "\(session.lines)")
    #expect(!session.lines.contains { $0.contains("of 9 jobs") || $0.contains("B/s") }, "\(session.lines)")
  }

  @Test("isn't stopped where nobody could make it go on")
  func orphan() async throws {
    let session = try run(columns: 60)
    #expect(try await session.wait { $0.lines.contains { $0.hasPrefix("6 of 9 jobs") } }, "\(session.lines)")
    session.press("\u{1A}")
    gate.open()
    #expect(try await session.end() == 1)
    expectClean(session, "jobs 9: 8 done, 1 failed;")
  }

  @Test("writes lines to a terminal that can't move its cursor")
  func dumb() async throws {
    gate.open()
    let session = try run(columns: 80, environment: ["TERM": "dumb", "NO_COLOR": ""])
    #expect(try await session.end() == 1)
    #expect(!session.screen.hasColor)
    // A line of progress every five seconds, however many a busy machine needs.
    expectClean(session, "jobs 9: 8 done, 1 failed;", ignoring: "imagemill: ")
  }

  @Test("says why it can't begin on a line of its own")
  func earlyEnd() async throws {
    let session = try run(columns: 80, options: "--cache-dir m.yaml")
    #expect(try await session.end() != 0)
    #expect(
      !session.lines.isEmpty && session.lines.allSatisfy { $0.hasPrefix("imagemill: ") }, "\(session.lines)")
    #expect(session.screen.isCursorBelow)
  }

  @Test(
    "says that it waits for its terminal",
    arguments: [
      ("pipe -o '{name}.png'", "the sources"), ("convert - a.png", "the image"), ("inspect -", "the image"),
      ("validate -", "the manifest"), ("run -", "the manifest"), ("plan -", "the manifest"),
      ("fetch -u - http://127.0.0.1:1/a.png", "the user name"),
    ])
  func typed(line: String, noun: String) async throws {
    let session = try TerminalSession("imagemill \(line)", in: command, columns: 80)
    let key = noun == "the user name" ? "Enter" : "Ctrl-D"
    let notice = "imagemill: reading \(noun) from the terminal; end with \(key)"
    #expect(try await session.wait { $0.lines.contains(notice) }, "\(session.lines)")
    session.press("\u{4}")
    _ = try await session.end()
  }

  @Test(
    "receives no image's bytes",
    arguments: [
      "convert a.png -", "convert -f flip --format webp a.png -", "fetch -o - ADDRESS",
    ])
  func binary(line: String) async throws {
    try command.write(PNGImage.bytes(width: 9, height: 9), to: "a.png")
    let address = "--allow-net loopback \(server.url("/a.png"))"
    let session = try TerminalSession(
      "imagemill \(line.replacing("ADDRESS", with: address))", in: command, columns: 200)
    #expect(try await session.end() == 2)
    #expect(
      session.lines.allSatisfy { $0.hasPrefix("imagemill: ") || $0.hasPrefix("  See ") }
        && !session.lines.isEmpty,
      "\(session.lines)")
    #expect(session.lines.joined().contains("terminal"), "\(session.lines)")
  }

  @Test("prints a pipe's results above the display on the same terminal")
  func results() async throws {
    let names = (1...20).map { "p\($0).png" } + ["late1.png"]
    try command.write(names.map { server.url("/\($0)") + "\n" }.joined(), to: "urls.txt")
    let session = try TerminalSession(
      "imagemill pipe \(Self.options) --ordered -o 'out-{name}.png' < urls.txt", in: command, columns: 80
    )
    #expect(try await session.wait { $0.lines.contains { $0.hasPrefix("20 jobs done") } }, "\(session.lines)")
    gate.open()
    #expect(try await session.end() == 0)
    #expect(session.lines.dropLast() == names.map { "out-\($0)" }[...], "\(session.lines)")
    #expect(session.lines.last?.hasPrefix("jobs 21: 21 done") == true)
  }
}

extension String {
  fileprivate func leftPadded(to length: Int) -> String {
    String(repeating: "0", count: max(0, length - count)) + self
  }
}
