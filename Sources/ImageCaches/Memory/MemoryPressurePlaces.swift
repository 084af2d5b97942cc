import Glibc

/// The kernel's files that report memory pressure.
struct MemoryPressurePlaces: Sendable, Hashable {
  /// Candidates for the file with pressure stall information, the nearest group first.
  var stalls: [String]
  /// The control group's `memory.events`; nil if it has none.
  var events: String?

  /// The files of this process: of its control group, of the visible root group, and of the machine.
  static var ofThisProcess: MemoryPressurePlaces {
    let unified = "/sys/fs/cgroup/unified"
    // A machine with both cgroup versions mounts v2 there.
    let root = access(unified + "/cgroup.procs", F_OK) == 0 ? unified : "/sys/fs/cgroup"
    return MemoryPressurePlaces(groups: contents(of: "/proc/self/cgroup"), root: root)
  }

  /// The files of a single control group, by its directory.
  init(group directory: String) {
    stalls = [directory + "/memory.pressure"]
    events = directory + "/memory.events"
  }

  /// The files of a process.
  /// - Parameters:
  ///   - groups: The contents of `/proc/self/cgroup` (cgroups(7)); the line of the unified hierarchy is `0::/path`.
  ///   - root: The mount point of that hierarchy.
  init(groups: String, root: String) {
    let group = groups.split(separator: "\n").first { $0.hasPrefix("0::/") }?.dropFirst(3) ?? "/"
    let own = group == "/" ? root : root + group
    stalls =
      (own == root ? [] : [own + "/memory.pressure"]) + [root + "/memory.pressure", "/proc/pressure/memory"]
    events = own + "/memory.events"
  }

  /// The contents of a short kernel file; empty if it can't be read.
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
