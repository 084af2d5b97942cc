import Glibc
import Synchronization

/// Watches how much memory the system has left, where Linux tells: the kernel's pressure stall information, of the
/// control group or of the whole machine.
///
///     let monitor = MemoryPressureMonitor { cache.handleMemoryPressure($0) }
///
/// It watches as long as it lives. Where the kernel doesn't tell, ``isWatching`` is false.
public final class MemoryPressureMonitor: Sendable {
  private let descriptors: [(descriptor: Int32, pressure: AutoPurgingImageCache.MemoryPressure)]
  /// A pipe: closing the end for writing ends the thread.
  private let stop: Int32
  /// Whether the kernel tells of pressure.
  public var isWatching: Bool { !descriptors.isEmpty }

  /// Calls `handler`, on a thread of its own, when tasks stall for memory: `warning` at 15 % of a second, `critical`
  /// when all of them stall for 10 %.
  public init(_ handler: @escaping @Sendable (AutoPurgingImageCache.MemoryPressure) -> Void) {
    descriptors = [
      ("some 150000 1000000", AutoPurgingImageCache.MemoryPressure.warning),
      ("full 100000 1000000", .critical),
    ].compactMap { trigger, pressure in Self.open(trigger).map { ($0, pressure) } }
    var ends: [Int32] = [-1, -1]
    guard !descriptors.isEmpty, pipe(&ends) == 0 else {
      stop = -1
      return
    }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    stop = ends[1]
    Watch(descriptors, stop: ends[0], handler).start()
  }

  deinit {
    if stop >= 0 { close(stop) }
  }

  private static func open(_ trigger: String) -> Int32? {
    for path in paths(ofGroups: contents(of: "/proc/self/cgroup")) {
      let descriptor = Glibc.open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC)
      guard descriptor >= 0 else { continue }
      // The kernel wants the terminating NUL too.
      if write(descriptor, trigger, trigger.utf8.count + 1) > 0 { return descriptor }
      close(descriptor)
    }
    return nil
  }

  /// Where pressure is told of: in this process's control group, in the root of what it can see, and in the machine.
  /// - Parameter groups: `/proc/self/cgroup` (cgroups(7)); the line of the unified hierarchy is `0::/path`.
  static func paths(ofGroups groups: String) -> [String] {
    let group = groups.split(separator: "\n").first { $0.hasPrefix("0::/") }?.dropFirst(3) ?? "/"
    let own = group == "/" ? [] : ["/sys/fs/cgroup\(group)/memory.pressure"]
    return own + ["/sys/fs/cgroup/memory.pressure", "/proc/pressure/memory"]
  }

  /// A short file of the kernel's; empty where there is none.
  private static func contents(of path: String) -> String {
    let descriptor = Glibc.open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return "" }
    defer { close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: 4096)
    let count = read(descriptor, &bytes, bytes.count)
    return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
  }

  /// What the thread needs.
  private final class Watch: Sendable {
    let descriptors: [(descriptor: Int32, pressure: AutoPurgingImageCache.MemoryPressure)]
    let stop: Int32
    let handler: @Sendable (AutoPurgingImageCache.MemoryPressure) -> Void

    init(
      _ descriptors: [(descriptor: Int32, pressure: AutoPurgingImageCache.MemoryPressure)], stop: Int32,
      _ handler: @escaping @Sendable (AutoPurgingImageCache.MemoryPressure) -> Void
    ) {
      self.descriptors = descriptors
      self.stop = stop
      self.handler = handler
    }

    func start() {
      var thread = pthread_t()
      let context = Unmanaged.passRetained(self)
      let status = pthread_create(
        &thread, nil,
        { context in
          guard let context else { return nil }
          Unmanaged<Watch>.fromOpaque(context).takeRetainedValue().run()
          return nil
        }, context.toOpaque())
      if status == 0 { pthread_detach(thread) } else { context.release() }
    }

    private func run() {
      var entries = descriptors.map { pollfd(fd: $0.descriptor, events: Int16(POLLPRI), revents: 0) }
      entries.append(pollfd(fd: stop, events: Int16(POLLIN), revents: 0))
      while true {
        if poll(&entries, nfds_t(entries.count), -1) < 0 && errno != EINTR { break }
        if entries.last?.revents != 0 { break }
        for (entry, watched) in zip(entries, descriptors) where entry.revents & Int16(POLLPRI) != 0 {
          handler(watched.pressure)
        }
        // A control group that is removed reports errors for ever.
        if entries.contains(where: { $0.revents & Int16(POLLERR) != 0 }) { break }
      }
      for entry in entries { close(entry.fd) }
    }
  }
}
