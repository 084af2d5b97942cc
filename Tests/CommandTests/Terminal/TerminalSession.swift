import Foundation
import Glibc
import Synchronization

/// The built command on a terminal of its own, whose screen can be looked at and whose keys can be pressed.
final class TerminalSession: Sendable {
  static let setsid = "/usr/bin/setsid"
  /// `TIOCSPTLCK` and `TIOCGPTN`: what `unlockpt` and `ptsname` are, which Swift doesn't see.
  private static let (setLock, getNumber): (UInt, UInt) = (0x4004_5431, 0x8004_5430)

  private nonisolated(unsafe) static let locale = newlocale(LC_CTYPE_MASK, "C.UTF-8", nil)

  private let terminal: Int32
  private let screenState: Mutex<TerminalScreen>
  private let hasHungUp = Mutex(false)
  private let process: Process

  /// Runs a shell's command line; `imagemill` in it is the built command.
  init(
    _ line: String, in command: CommandRun, columns: Int, rows: Int = 24, environment: [String: String] = [:]
  ) throws {
    terminal = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC | O_NONBLOCK)
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

  /// Changes the width between two drawings. What a command draws while its terminal becomes narrower is broken on every
  /// terminal; here the command is stopped meanwhile, soon after a drawing.
  func resize(columns: Int, rows: Int = 24) async throws {
    var isResized = false
    while !isResized, !hasHungUp.withLock({ $0 }) {
      try await Task.sleep(for: .milliseconds(7))
      guard screen.drawingEnd != nil else { continue }
      let command = foreground
      kill(command, SIGSTOP)
      while try state(of: command) != "T" { try await Task.sleep(for: .milliseconds(1)) }
      isResized = screenState.withLock { screen in
        while receive(&screen) > 0 {}
        guard let end = screen.drawingEnd, .now - end < .milliseconds(50) else { return false }
        screen.resize(columns: columns, rows: rows)
        setSize(columns: columns, rows: rows)
        return true
      }
      kill(command, SIGCONT)
    }
  }

  /// A letter of proc(5).
  private func state(of process: Int32) throws -> String {
    let fields = try String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8)
    return fields.split(separator: ")").last.map { String($0.dropFirst().prefix(1)) } ?? ""
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
    var isOpen = true
    while isOpen {
      var waiting = pollfd(fd: terminal, events: Int16(POLLIN), revents: 0)
      _ = poll(&waiting, 1, -1)
      isOpen = screenState.withLock { screen in
        let count = receive(&screen)
        return count > 0 || count < 0 && (errno == EAGAIN || errno == EINTR)
      }
    }
    hasHungUp.withLock { $0 = true }
  }

  /// Shows what is there to read. Returns its count, or -1 with `errno`.
  private func receive(_ screen: inout TerminalScreen) -> Int {
    // For `wcwidth`.
    let before = uselocale(Self.locale)
    defer { uselocale(before) }
    return withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 1 << 16) { bytes in
      let count = read(terminal, bytes.baseAddress, bytes.count)
      if count > 0 { screen.receive(UnsafeBufferPointer(rebasing: bytes[..<count])) }
      return count
    }
  }
}
