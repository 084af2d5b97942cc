import Foundation
import Testing

/// What a test waits for in place of a time: the state of a process that isn't ours to ask.
extension CommandRun {
  /// Waits until a child of `process` has stopped itself (`IMAGEMILL_TEST_WORKER=stop:…`).
  /// - Returns: The child's number.
  static func stoppedChild(of process: Process) async throws -> pid_t {
    while process.isRunning {
      for child in try children(of: process) where try state(of: child) == "T" { return child }
      try await Task.sleep(for: .milliseconds(5))
    }
    throw Ended()
  }

  /// Waits until `process` and its children do nothing any more, as when they wait for another process: they have used no
  /// CPU time for a while.
  static func untilIdle(_ process: Process) async throws {
    var (before, quiet) = (-1, 0)
    while quiet < 25 {
      guard process.isRunning else { throw Ended() }
      let used = try ticks(of: process.processIdentifier)
      quiet = used == before ? quiet + 1 : 0
      before = used
      try await Task.sleep(for: .milliseconds(20))
    }
  }

  /// Waits for the end of `process`, whose worker stops itself at every job.
  static func end(_ process: Process, continuing worker: pid_t) async throws {
    while process.isRunning {
      kill(worker, SIGCONT)
      try await Task.sleep(for: .milliseconds(5))
    }
  }

  /// Waits until `process` has a file of this name open.
  static func until(_ process: Process, opens name: String) async throws {
    let directory = "/proc/\(process.processIdentifier)/fd"
    while process.isRunning {
      for number in (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? [] {
        // A descriptor may be closed in between.
        let path = try? FileManager.default.destinationOfSymbolicLink(atPath: directory + "/" + number)
        if path?.hasSuffix("/" + name) == true { return }
      }
      try await Task.sleep(for: .milliseconds(5))
    }
    throw Ended()
  }

  /// The process ended, and what was waited for can't happen any more.
  struct Ended: Error {}

  private static func children(of process: Process) throws -> [pid_t] {
    let tasks = "/proc/\(process.processIdentifier)/task"
    // A thread may have ended in between.
    return try FileManager.default.contentsOfDirectory(atPath: tasks).flatMap { task in
      ((try? String(contentsOfFile: "\(tasks)/\(task)/children", encoding: .utf8)) ?? "").split(
        separator: " "
      )
      .compactMap { pid_t($0) }
    }
  }

  /// The fields behind the name (proc_pid_stat(5)): the state is the first.
  private static func fields(of process: pid_t) throws -> [Substring] {
    let stat = try String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8)
    return (stat.components(separatedBy: ") ").last ?? "").split(separator: " ")
  }

  private static func state(of process: pid_t) throws -> Substring? { try fields(of: process).first }

  /// User and system time in clock ticks.
  private static func ticks(of process: pid_t) throws -> Int {
    try fields(of: process).dropFirst(11).prefix(2).compactMap { Int($0) }.reduce(0, +)
  }
}
