import FoundationEssentials
import Glibc

/// What a process has been doing, from the outside: whether a time limit that it exceeded says something about its work.
enum ProcessActivity {
  /// Why a process didn't respond in time.
  enum Delay {
    /// It computed, or waited for something of its own.
    case ownWork
    /// It wanted to run, or to read and write, but got less than half of the time.
    case starved
    /// A signal or a debugger has stopped it.
    case stopped
  }

  /// The processor time that a process has used, in all of its threads; nil if it is gone.
  static func processorTime(of process: pid_t) -> Duration? {
    var clock = clockid_t()
    var time = timespec()
    guard clock_getcpuclockid(process, &clock) == 0, clock_gettime(clock, &time) == 0 else { return nil }
    return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
  }

  /// Why `process` exceeded `limit`, during which it used `used` of processor time.
  static func delay(of process: pid_t, used: Duration, limit: Duration) -> Delay {
    let states = states(of: process)
    // T: stopped, t: traced, R: running or waiting for a processor, D: waiting for a disk.
    if states.contains(where: { $0 == "T" || $0 == "t" }) { return .stopped }
    return used < limit / 2 && states.contains { $0 == "R" || $0 == "D" } ? .starved : .ownWork
  }

  /// The states of a process's threads, as `proc(5)` has them.
  private static func states(of process: pid_t) -> [Character] {
    let tasks = "/proc/\(process)/task"
    // A thread or the process may end in between: then nothing is known of it.
    let names = (try? FileManager.default.contentsOfDirectory(atPath: tasks)) ?? []
    return names.compactMap { name in
      guard let text = FileManager.default.contents(atPath: "\(tasks)/\(name)/stat") else { return nil }
      // The command's name comes before, in parentheses, and may have parentheses and blanks itself.
      return String(decoding: text, as: UTF8.self).split(separator: ")").last?.first { $0 != " " }
    }
  }
}
