import Glibc
import Synchronization

/// Watches how much memory the system has left, where Linux tells: pressure stall information and the events of a
/// control group (both in the kernel's documentation of cgroup v2, "Memory"). An ``AutoPurgingImageCache`` has one.
///
///     let monitor = MemoryPressureMonitor { pressure in … }
///
/// It watches as long as it lives. Where the kernel doesn't tell, ``isWatching`` is false.
public final class MemoryPressureMonitor: Sendable {
  /// The end of a pipe; closing it ends the thread. -1 without a thread.
  private let stop: Int32

  /// Whether the kernel tells of pressure.
  public var isWatching: Bool { stop >= 0 }

  /// Calls `handler`, on a thread of its own, with `warning` if tasks of the control group, or else of the machine, stall
  /// for memory for 15 % of the time or the group passes its `memory.high`, and with `critical` if all of them stall for
  /// 10 % of the time or the group runs out of memory.
  public convenience init(_ handler: @escaping @Sendable (AutoPurgingImageCache.MemoryPressure) -> Void) {
    self.init(places: .ofThisProcess, handler)
  }

  /// The same for certain places.
  init(
    places: MemoryPressurePlaces,
    _ handler: @escaping @Sendable (AutoPurgingImageCache.MemoryPressure) -> Void
  ) {
    let watched = WatchedPressure.open(places)
    var ends: [Int32] = [-1, -1]
    guard !watched.isEmpty, pipe(&ends) == 0 else {
      for file in watched { close(file.descriptor) }
      stop = -1
      return
    }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    guard PressureThread(watched, stop: ends[0], handler).start() else {
      for descriptor in watched.map(\.descriptor) + ends { close(descriptor) }
      stop = -1
      return
    }
    stop = ends[1]
  }

  deinit {
    if stop >= 0 { close(stop) }
  }
}

/// An open file that tells of pressure.
private struct WatchedPressure: Sendable {
  enum Kind: Sendable {
    /// A trigger of pressure stall information.
    case stall(AutoPurgingImageCache.MemoryPressure)
    /// `memory.events`.
    case events
  }

  let descriptor: Int32
  let kind: Kind

  static func open(_ places: MemoryPressurePlaces) -> [WatchedPressure] {
    let triggers: [(share: String, percent: Int, AutoPurgingImageCache.MemoryPressure)] = [
      ("some", 15, .warning), ("full", 10, .critical),
    ]
    var watched = triggers.compactMap { share, percent, pressure in
      // Only the privileged get windows that are no multiples of two seconds.
      [1, 2].lazy.compactMap { seconds in
        openTrigger("\(share) \(percent * 10_000 * seconds) \(seconds * 1_000_000)", in: places.stalls)
      }.first.map { WatchedPressure(descriptor: $0, kind: .stall(pressure)) }
    }
    if let path = places.events {
      let descriptor = Glibc.open(path, O_RDONLY | O_CLOEXEC)
      if descriptor >= 0 { watched.append(WatchedPressure(descriptor: descriptor, kind: .events)) }
    }
    return watched
  }

  private static func openTrigger(_ trigger: String, in paths: [String]) -> Int32? {
    for path in paths {
      let descriptor = Glibc.open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC)
      guard descriptor >= 0 else { continue }
      // The kernel wants the terminating NUL too.
      if write(descriptor, trigger, trigger.utf8.count + 1) > 0 { return descriptor }
      close(descriptor)
    }
    return nil
  }
}

/// The counts of `memory.events` that matter here.
private struct GroupEvents: Equatable {
  var high = 0
  var oom = 0

  init(_ text: String) {
    for line in text.split(separator: "\n") {
      let words = line.split(separator: " ")
      guard words.count == 2, let count = Int(words[1]) else { continue }
      switch words[0] {
      case "high": high = count
      case "oom": oom = count
      // Reaching memory.max is ordinary: the group's file cache grows until it does.
      default: break
      }
    }
  }
}

/// The monitor's thread, which owns the descriptors.
private final class PressureThread: Sendable {
  private let watched: [WatchedPressure]
  private let stop: Int32
  private let handler: @Sendable (AutoPurgingImageCache.MemoryPressure) -> Void

  init(
    _ watched: [WatchedPressure], stop: Int32,
    _ handler: @escaping @Sendable (AutoPurgingImageCache.MemoryPressure) -> Void
  ) {
    self.watched = watched
    self.stop = stop
    self.handler = handler
  }

  /// Whether the thread has been started; it closes the descriptors at its end.
  func start() -> Bool {
    var thread = pthread_t()
    let context = Unmanaged.passRetained(self)
    let status = pthread_create(
      &thread, nil,
      { context in
        guard let context else { return nil }
        Unmanaged<PressureThread>.fromOpaque(context).takeRetainedValue().run()
        return nil
      }, context.toOpaque())
    guard status == 0 else {
      context.release()
      return false
    }
    pthread_detach(thread)
    return true
  }

  private func run() {
    var events = watched.map { file in
      if case .events = file.kind {
        GroupEvents(MemoryPressurePlaces.contents(of: file.descriptor))
      } else {
        nil as GroupEvents?
      }
    }
    var entries = watched.map { pollfd(fd: $0.descriptor, events: Int16(POLLPRI), revents: 0) }
    entries.append(pollfd(fd: stop, events: Int16(POLLIN), revents: 0))
    while true {
      guard poll(&entries, nfds_t(entries.count), -1) >= 0 else {
        if errno == EINTR { continue }
        break
      }
      if entries.last?.revents != 0 { break }
      for index in watched.indices where entries[index].revents != 0 {
        switch watched[index].kind {
        case .stall(let pressure):
          if entries[index].revents & Int16(POLLERR) != 0 {
            // Its control group has been removed, and it would report that for ever. poll(2) passes over -1.
            entries[index].fd = -1
          } else {
            handler(pressure)
          }
        case .events:
          // The kernel sets POLLERR with every change of such a file.
          let text = MemoryPressurePlaces.contents(of: watched[index].descriptor)
          guard !text.isEmpty else {
            entries[index].fd = -1
            continue
          }
          let now = GroupEvents(text)
          if let last = events[index], now != last {
            handler(now.oom > last.oom ? .critical : .warning)
          }
          events[index] = now
        }
      }
    }
    for file in watched { close(file.descriptor) }
    close(stop)
  }
}
