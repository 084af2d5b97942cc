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

  /// Waits until `process` and its children do nothing any more but look at a clock, as when they wait for another process:
  /// for half a second they use less than a twentieth of a processor, and none of their threads waits for a processor or a
  /// disk all the time. On a busy machine, a thread that is woken five times a second is often seen waiting.
  static func untilIdle(_ process: Process) async throws {
    var (before, quiet) = ([pid_t: ThreadTime](), 0)
    while quiet < 5 {
      guard process.isRunning else { throw Ended() }
      let all = [process.processIdentifier] + (try children(of: process))
      let now = all.reduce(into: [:]) { $0.merge(threadTimes(of: $1)) { time, _ in time } }
      let used = now.reduce(0) { $0 + $1.value.nanoseconds - (before[$1.key]?.nanoseconds ?? 0) }
      let isBlocked = now.contains { $0.value.isBlocked && $0.value == before[$0.key] }
      quiet = !now.isEmpty && used < 5_000_000 && !isBlocked ? quiet + 1 : 0
      before = now
      try await Task.sleep(for: .milliseconds(100))
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

  /// How long a thread has run, how often, and whether it waits for a processor or a disk.
  private struct ThreadTime: Equatable {
    let nanoseconds: Int
    let timeSlices: Int
    let isBlocked: Bool
  }

  /// The times of all threads (proc_pid_stat(5), Documentation/scheduler/sched-stats.rst of Linux); one that has ended in
  /// between is left out.
  private static func threadTimes(of process: pid_t) -> [pid_t: ThreadTime] {
    let tasks = "/proc/\(process)/task"
    return ((try? FileManager.default.contentsOfDirectory(atPath: tasks)) ?? []).reduce(into: [:]) {
      times, task in
      guard let number = pid_t(task),
        let stat = try? String(contentsOfFile: "\(tasks)/\(task)/stat", encoding: .utf8),
        let counts = try? String(contentsOfFile: "\(tasks)/\(task)/schedstat", encoding: .utf8)
      else { return }
      let state = stat.components(separatedBy: ") ").last?.first
      let numbers = counts.split(whereSeparator: \.isWhitespace).compactMap { Int($0) }
      guard numbers.count == 3 else { return }
      times[number] = ThreadTime(
        nanoseconds: numbers[0], timeSlices: numbers[2], isBlocked: state == "R" || state == "D")
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

  /// Has the program take SIGHUP and SIGINT even if this process ignores them, as under nohup(1) or in the background of a
  /// script.
  func restoreSignals() {
    let program = [executableURL?.path ?? ""] + (arguments ?? [])
    executableURL = URL(filePath: "/usr/bin/env")
    arguments = ["--default-signal=HUP,INT"] + program
  }
}
