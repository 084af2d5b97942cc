import Foundation
import Glibc
import Synchronization

/// The built command on a terminal of its own, whose screen can be looked at and whose keys can be pressed.
final class TerminalSession: Sendable {
  static let setsid = "/usr/bin/setsid"
  /// `TIOCSPTLCK` and `TIOCGPTN`: what `unlockpt` and `ptsname` are, which Swift doesn't see.
  private static let (setLock, getNumber): (UInt, UInt) = (0x4004_5431, 0x8004_5430)

  private let terminal: Int32
  private let screenState: Mutex<TerminalScreen>
  private let hasHungUp = Mutex(false)
  private let process: Process

  /// Runs a shell's command line; `imagemill` in it is the built command.
  init(
    _ line: String, in command: CommandRun, columns: Int, rows: Int = 24, environment: [String: String] = [:]
  ) throws {
    terminal = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
    var (lock, number): (Int32, Int32) = (0, 0)
    guard terminal >= 0, ioctl(terminal, Self.setLock, &lock) == 0,
      ioctl(terminal, Self.getNumber, &number) == 0
    else { throw POSIXError(.init(rawValue: errno) ?? .EIO) }
    let path = "/dev/pts/\(number)"
    let end = open(path, O_RDWR | O_NOCTTY | O_CLOEXEC)
    guard end >= 0 else { throw POSIXError(.init(rawValue: errno) ?? .EIO) }
    screenState = Mutex(TerminalScreen(columns: columns, rows: rows))
    let variables = ["TERM": "xterm-256color"].merging(environment) { $1 }
    process = command.process(
      [
        "--ctty", "--wait", "/bin/sh", "-c",
        "imagemill() { exec '\(CommandRun.executable)' \"$@\"; }; \(line)",
      ],
      environment: variables)
    process.executableURL = URL(fileURLWithPath: Self.setsid)
    let handle = FileHandle(fileDescriptor: end, closeOnDealloc: false)
    process.standardInput = handle
    process.standardOutput = handle
    process.standardError = handle
    setSize(columns: columns, rows: rows)
    try process.run()
    close(end)
    Thread.detachNewThread { self.listen() }
  }

  deinit { close(terminal) }

  var screen: TerminalScreen { screenState.withLock { $0 } }
  var lines: [String] { screen.lines }
  /// The process that has the terminal.
  var foreground: Int32 { tcgetpgrp(terminal) }

  func press(_ keys: String) {
    let bytes = Array(keys.utf8)
    _ = write(terminal, bytes, bytes.count)
  }

  func resize(columns: Int, rows: Int = 24) {
    screenState.withLock { screen in
      screen.resize(columns: columns, rows: rows)
      setSize(columns: columns, rows: rows)
    }
  }

  /// Waits until the screen looks so; false where the command ends before.
  func wait(until looks: (TerminalScreen) -> Bool) async throws -> Bool {
    while !looks(screen) {
      if hasHungUp.withLock({ $0 }) { return looks(screen) }
      try await Task.sleep(for: .milliseconds(10))
    }
    return true
  }

  /// Waits for the command's end; its status.
  func end() async throws -> Int32 {
    while process.isRunning || !hasHungUp.withLock({ $0 }) { try await Task.sleep(for: .milliseconds(10)) }
    return process.terminationStatus
  }

  private func setSize(columns: Int, rows: Int) {
    var size = winsize(ws_row: UInt16(rows), ws_col: UInt16(columns), ws_xpixel: 0, ws_ypixel: 0)
    _ = ioctl(terminal, UInt(TIOCSWINSZ), &size)
  }

  /// Until nobody has the terminal's other end open.
  private func listen() {
    // For `wcwidth` in this thread.
    let locale = newlocale(LC_CTYPE_MASK, "C.UTF-8", nil)
    uselocale(locale)
    var bytes = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = read(terminal, &bytes, bytes.count)
      if count < 0 && errno == EINTR { continue }
      if count <= 0 { break }
      screenState.withLock { $0.receive(bytes.prefix(count)) }
    }
    hasHungUp.withLock { $0 = true }
  }
}
