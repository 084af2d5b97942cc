import Glibc
import Synchronization

/// Monitors memory pressure on Linux by pressure stall information and control group events (see "Memory" in the
/// kernel's documentation of cgroup v2). Every ``AutoPurgingImageCache`` has a monitor.
///
///     let monitor = MemoryPressureMonitor { pressure in print(pressure) }
///
/// It monitors as long as it lives.
public final class MemoryPressureMonitor: Sendable {
  /// The write end of a pipe; closing it ends the thread. -1 without a thread.
  private let stop: Int32

  /// Whether the kernel reports memory pressure.
  public var isWatching: Bool { stop >= 0 }

  /// Starts monitoring this process's control group, or else the machine.
  /// - Parameter handler: Called on the monitor's thread: with `warning` if tasks stall for memory 15 % of
  ///   the time, or the group exceeds its `memory.high`; with `critical` if all tasks stall 10 % of the time,
  ///   or the group runs out of memory.
  public convenience init(_ handler: @escaping @Sendable (AutoPurgingImageCache.MemoryPressure) -> Void) {
    self.init(places: .ofThisProcess, handler)
  }

  /// Starts monitoring the given files.
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

/// An open file that reports memory pressure.
private struct WatchedPressure: Sendable {
  enum Kind: Sendable {
    /// A pressure stall trigger.
    case stall(AutoPurgingImageCache.MemoryPressure)
    /// `memory.events`.
    case events
  }

  let descriptor: Int32
  let kind: Kind

  /// Opens the files that can report pressure; those that can't be opened are left out.
  static func open(_ places: MemoryPressurePlaces) -> [WatchedPressure] {
    let triggers: [(share: String, percent: Int, AutoPurgingImageCache.MemoryPressure)] = [
      ("some", 15, .warning), ("full", 10, .critical),
    ]
    var watched = triggers.compactMap { share, percent, pressure in
      // Unprivileged processes may use only windows of a multiple of 2 s.
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
      // The kernel requires the terminating NUL.
      if write(descriptor, trigger, trigger.utf8.count + 1) > 0 { return descriptor }
      close(descriptor)
    }
    return nil
  }
}

/// The relevant counts of `memory.events`.
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
      // Ignore `max`: a group's file cache normally grows until it reaches memory.max.
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

  /// Starts the thread, which closes the descriptors when it ends.
  /// - Returns: Whether it was started.
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
            // The control group was removed, and poll(2) would report that forever. It ignores -1.
            entries[index].fd = -1
          } else {
            handler(pressure)
          }
        case .events:
          // The kernel sets POLLERR at every change of this file, so only an empty file means a removed group.
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
