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

  /// Waits until `process` and its children do nothing any more, as when they wait for another process: all their threads
  /// sleep, and have used no CPU time for a while. A thread that waits for a processor or a disk isn't idle, however long.
  static func untilIdle(_ process: Process) async throws {
    var (before, quiet) = (-1, 0)
    while quiet < 25 {
      guard process.isRunning else { throw Ended() }
      let all = [process.processIdentifier] + (try children(of: process))
      let used = try ticks(of: process.processIdentifier)
      let isBusy = all.contains { threadStates(of: $0).contains { $0 == "R" || $0 == "D" } }
      quiet = used == before && !isBusy ? quiet + 1 : 0
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

  /// The states of all threads (proc_pid_stat(5)); one that has ended in between is left out.
  private static func threadStates(of process: pid_t) -> [Substring] {
    let tasks = "/proc/\(process)/task"
    return ((try? FileManager.default.contentsOfDirectory(atPath: tasks)) ?? []).compactMap { task in
      let stat = try? String(contentsOfFile: "\(tasks)/\(task)/stat", encoding: .utf8)
      return stat?.components(separatedBy: ") ").last?.split(separator: " ").first
    }
  }

  /// The fields behind the name (proc_pid_stat(5)): the state is the first.
  private static func fields(of process: pid_t) throws -> [Substring] {
    let stat = try String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8)
    return (stat.components(separatedBy: ") ").last ?? "").split(separator: " ")
  }

  /// Whether a process exists and hasn't ended. Nobody may have reaped it.
  static func isAlive(_ process: pid_t) -> Bool {
    guard let state = try? state(of: process) else { return false }
    return state != "Z" && state != "X"
  }

  private static func state(of process: pid_t) throws -> Substring? { try fields(of: process).first }

  /// User and system time in clock ticks.
  private static func ticks(of process: pid_t) throws -> Int {
    try fields(of: process).dropFirst(11).prefix(2).compactMap { Int($0) }.reduce(0, +)
  }
}

extension Process {
  /// Waits for the end on a thread of its own: on the tasks' threads, of which there are as many as processors, other
  /// tests would wait too.
  func ended() async {
    await withCheckedContinuation { continuation in
      Thread.detachNewThread {
        self.waitUntilExit()
        continuation.resume()
      }
    }
  }

  /// Has the program take SIGHUP even if this process ignores it, as under nohup(1).
  func restoreHangUp() {
    let program = [executableURL?.path ?? ""] + (arguments ?? [])
    executableURL = URL(filePath: "/usr/bin/env")
    arguments = ["--default-signal=HUP"] + program
  }
}
