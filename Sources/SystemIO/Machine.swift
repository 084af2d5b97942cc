import FoundationEssentials
import Glibc

/// The processors and memory available to this process.
package enum Machine {
  /// The number of processors, limited by CPU affinity and the control group's quota; at least 1.
  package static var availableProcessors: Int {
    guard let quota = processorQuota else { return onlineProcessors }
    return max(1, min(onlineProcessors, Int(quota.rounded(.up))))
  }

  /// The number of processors in the process's CPU affinity mask; at least 1.
  package static var onlineProcessors: Int { max(1, ProcessInfo.processInfo.activeProcessorCount) }

  /// The machine's memory in bytes, limited by the control group.
  package static var memory: Int {
    min(installedMemory, memoryLimit ?? installedMemory)
  }

  /// The machine's memory in bytes.
  package static var installedMemory: Int { sysconf(Int32(_SC_PHYS_PAGES)) * sysconf(Int32(_SC_PAGESIZE)) }

  /// The control group's memory limit in bytes (cgroup v2's `memory.max`); nil if there is none.
  package static var memoryLimit: Int? { firstLine(of: "/sys/fs/cgroup/memory.max").flatMap { Int($0) } }

  /// The control group's CPU quota in processors (cgroup v2's `cpu.max`, a quota and a period in
  /// microseconds); nil if there is none.
  package static var processorQuota: Double? {
    guard let words = firstLine(of: "/sys/fs/cgroup/cpu.max")?.split(separator: " "), words.count == 2,
      let quota = Double(words[0]), let period = Double(words[1]), period > 0
    else { return nil }
    return quota / period
  }

  /// The first line of a file; nil if it can't be read, because not every machine has control groups.
  private static func firstLine(of path: String) -> String? {
    guard let start = try? File.start(of: path, count: 256) else { return nil }
    return String(decoding: start, as: UTF8.self).split(separator: "\n").first.map(String.init)
  }
}
