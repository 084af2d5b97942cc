import Foundation
import Glibc

/// The CPUs and the memory that this process may use.
enum Machine {
  /// The number of CPUs, limited by affinity and by the control group's quota.
  static var availableProcessors: Int {
    let count = ProcessInfo.processInfo.activeProcessorCount
    guard let quota = processorQuota else { return max(1, count) }
    return max(1, min(count, Int(quota.rounded(.up))))
  }

  /// The machine's memory, limited by the control group, in bytes.
  static var memory: Int {
    min(installedMemory, memoryLimit ?? installedMemory)
  }

  /// The machine's memory, in bytes.
  static var installedMemory: Int { sysconf(Int32(_SC_PHYS_PAGES)) * sysconf(Int32(_SC_PAGESIZE)) }

  /// The control group's limit in bytes (cgroup v2's `memory.max`); nil if there is none.
  static var memoryLimit: Int? { firstLine(of: "/sys/fs/cgroup/memory.max").flatMap { Int($0) } }

  /// The CPUs of cgroup v2's `cpu.max`, a quota and a period in microseconds; nil if it says `max`.
  static var processorQuota: Double? {
    guard let words = firstLine(of: "/sys/fs/cgroup/cpu.max")?.split(separator: " "), words.count == 2,
      let quota = Double(words[0]), let period = Double(words[1]), period > 0
    else { return nil }
    return quota / period
  }

  private static func firstLine(of path: String) -> String? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var buffer = [UInt8](repeating: 0, count: 256)
    let count = read(descriptor, &buffer, buffer.count)
    guard count > 0 else { return nil }
    return String(decoding: buffer[..<count], as: UTF8.self).split(separator: "\n").first.map(String.init)
  }
}
