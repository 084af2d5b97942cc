import Glibc

/// The kernel's files that tell of memory pressure.
struct MemoryPressurePlaces: Sendable, Hashable {
  /// Files of pressure stall information, the nearest first: one is used.
  var stalls: [String]
  /// The control group's `memory.events`; nil if it has none.
  var events: String?

  /// Those of this process: in its control group, in the root of what it can see, and in the machine.
  static var ofThisProcess: MemoryPressurePlaces {
    let unified = "/sys/fs/cgroup/unified"
    // A machine with both versions mounts the second there.
    let root = access(unified + "/cgroup.procs", F_OK) == 0 ? unified : "/sys/fs/cgroup"
    return MemoryPressurePlaces(groups: contents(of: "/proc/self/cgroup"), root: root)
  }

  /// Those of one control group alone, by its directory.
  init(group directory: String) {
    stalls = [directory + "/memory.pressure"]
    events = directory + "/memory.events"
  }

  /// Those of a process.
  /// - Parameters:
  ///   - groups: `/proc/self/cgroup` (cgroups(7)); the line of the unified hierarchy is `0::/path`.
  ///   - root: where that hierarchy is mounted.
  init(groups: String, root: String) {
    let group = groups.split(separator: "\n").first { $0.hasPrefix("0::/") }?.dropFirst(3) ?? "/"
    let own = group == "/" ? root : root + group
    stalls =
      (own == root ? [] : [own + "/memory.pressure"]) + [root + "/memory.pressure", "/proc/pressure/memory"]
    events = own + "/memory.events"
  }

  /// A short file of the kernel's; empty if there is none.
  static func contents(of path: String) -> String {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return "" }
    defer { close(descriptor) }
    return contents(of: descriptor)
  }

  static func contents(of descriptor: Int32) -> String {
    var bytes = [UInt8](repeating: 0, count: 4096)
    let count = pread(descriptor, &bytes, bytes.count, 0)
    return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
  }
}
