import FoundationEssentials
import Glibc

/// Determines from /proc why a process exceeded a time limit: because of its own work, or because it couldn't
/// run.
enum ProcessActivity {
  /// Why a process didn't respond in time.
  enum Delay {
    /// It computed or waited for its own work.
    case ownWork
    /// It wanted the processor or the disk, but got less than half of the time.
    case starved
    /// A signal or a debugger stopped it.
    case stopped
  }

  /// The processor time of all threads of a process; nil if the process no longer exists.
  static func processorTime(of process: pid_t) -> Duration? {
    var clock = clockid_t()
    var time = timespec()
    guard clock_getcpuclockid(process, &clock) == 0, clock_gettime(clock, &time) == 0 else { return nil }
    return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
  }

  /// Why a process exceeded a time limit.
  /// - Parameters:
  ///   - process: The process.
  ///   - used: The processor time that it used since the limit began to run.
  ///   - limit: The time limit.
  static func delay(of process: pid_t, used: Duration, limit: Duration) -> Delay {
    let states = states(of: process)
    // States of proc(5). T: stopped, t: traced, R: running or waiting for a processor, D: waiting for a disk.
    if states.contains(where: { $0 == "T" || $0 == "t" }) { return .stopped }
    return used < limit / 2 && states.contains { $0 == "R" || $0 == "D" } ? .starved : .ownWork
  }

  /// The states of a process's threads (proc(5)).
  private static func states(of process: pid_t) -> [Character] {
    let tasks = "/proc/\(process)/task"
    // A thread or the process may end in the meantime; its state is then left out.
    let names = (try? FileManager.default.contentsOfDirectory(atPath: tasks)) ?? []
    return names.compactMap { name in
      guard let text = FileManager.default.contents(atPath: "\(tasks)/\(name)/stat") else { return nil }
      // The state follows the command's name, which is in parentheses and may itself contain parentheses and
      // spaces.
      return String(decoding: text, as: UTF8.self).split(separator: ")").last?.first { $0 != " " }
    }
  }
}
