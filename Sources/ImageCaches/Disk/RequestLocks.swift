import Dispatch
import Glibc
import Synchronization
import SystemIO

/// Locks for requests in flight, so that only one of several processes on a cache directory sends a request.
///
/// A process locks a request's key while it downloads; the kernel releases the lock if the process dies. Others wait
/// without a thread: the process that unlocks a key writes to the lock file if there are waiters, a process that dies
/// closes it, and inotify reports both.
package final class RequestLocks: Sendable {
  private struct Wait {
    let offset: Int64
    let end: Double
    let patience: Double
    let progress: @Sendable () -> Int
    let continuation: CheckedContinuation<Bool, Never>
    var lastProgress: Int
    var patienceEnds: Double

    /// Renews the patience if the holder has made progress.
    mutating func note(_ progress: Int, at now: Double) {
      guard progress != lastProgress else { return }
      lastProgress = progress
      patienceEnds = now + patience
    }
  }

  private struct State {
    var file: RangeLockFile?
    /// The number of this process's downloads per key: an image request and a plain one may have the same key.
    var holders: [Int64: Int] = [:]
    var waits: [Int: Wait] = [:]
    var nextWait = 0
    var watch: LockFileWatch?
    /// When another process may last have been active, in seconds of the monotonic clock.
    var lastCompany = -Double.infinity
    var lastSight = -Double.infinity
  }

  private let path: String
  private let state = Mutex(State())

  /// Reserved bytes: every process that downloads holds a shared lock on the first, every waiting one on the second.
  private static let presence: Int64 = 0
  private static let waiting: Int64 = 1

  package init(path: String) {
    self.path = path
  }

  private static func offset(_ key: ContentDigest) -> Int64 {
    Int64(key.prefix >> 2) + 2
  }

  // MARK: Locking

  /// Locks a key for one of this process's downloads.
  /// - Returns: false if another process has it locked; otherwise ``release(_:)`` must follow.
  package func take(_ key: ContentDigest) throws(CacheError) -> Bool {
    let offset = Self.offset(key)
    let result: Result<Bool, CacheError> = state.withLock { state in
      Result { () throws(CacheError) -> Bool in
        let file = try Self.file(&state, path)
        if state.holders[offset] == nil {
          guard file.lock(offset, exclusive: true) else { return false }
        }
        state.holders[offset, default: 0] += 1
        return true
      }
    }
    return try result.get()
  }

  /// Unlocks a key and notifies waiting processes.
  package func release(_ key: ContentDigest) {
    let offset = Self.offset(key)
    state.withLock { state in
      guard let count = state.holders[offset], let file = state.file else { return }
      guard count == 1 else { return state.holders[offset] = count - 1 }
      state.holders[offset] = nil
      file.unlock(offset)
      if file.isLockedByOthers(Self.waiting) { file.ring() }
    }
  }

  /// When another process may last have been active, in seconds of the monotonic clock. Each call checks for other
  /// processes; after more than a second without a check, one may have been active unnoticed.
  /// - Parameter now: the monotonic clock.
  package func lastCompany(now: Double = SystemTime.monotonic) throws(CacheError) -> Double {
    let result: Result<Double, CacheError> = state.withLock { state in
      Result { () throws(CacheError) -> Double in
        let isUnseen = now - state.lastSight > 1
        state.lastSight = now
        if try Self.file(&state, path).isLockedByOthers(Self.presence) || isUnseen { state.lastCompany = now }
        return state.lastCompany
      }
    }
    return try result.get()
  }

  private static func file(_ state: inout State, _ path: String) throws(CacheError) -> RangeLockFile {
    if let file = state.file { return file }
    let file = try RangeLockFile(path: path)
    _ = file.lock(presence, exclusive: false)
    state.file = file
    return file
  }

  // MARK: Waiting

  /// The number of waits that haven't ended.
  package var waitCount: Int { state.withLock(\.waits.count) }

  /// Waits until the key is free, a time limit is reached, or the task is cancelled.
  /// - Returns: Whether the key was free. Another process may have locked it since; the caller must then wait
  ///   again.
  /// - Parameters:
  ///   - seconds: the maximum wait.
  ///   - patience: the maximum wait without progress, in seconds.
  ///   - progress: returns a number that changes with progress. It may block, and is called on the caller's thread and
  ///     on a Dispatch thread.
  package func wait(
    for key: ContentDigest, seconds: Double, patience: Double, progress: @escaping @Sendable () -> Int
  ) async -> Bool {
    let offset = Self.offset(key)
    let number = state.withLock { state in
      state.nextWait += 1
      return state.nextWait
    }
    return await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let now = SystemTime.monotonic
        let wait = Wait(
          offset: offset, end: now + seconds, patience: patience, progress: progress,
          continuation: continuation, lastProgress: progress(), patienceEnds: now + patience)
        state.withLock { state in
          state.waits[number] = wait
          state.watch?.hurry()
          guard state.watch == nil, let file = state.file else { return }
          // Lock before look() below: a process that unlocks the key after it then sees a waiter, and notifies.
          _ = file.lock(Self.waiting, exclusive: false)
          state.watch = LockFileWatch(path: path) { [weak self] in self?.look() }
        }
        look()
        // A cancellation may have arrived before the wait was registered.
        if Task.isCancelled { end(number) }
      }
    } onCancel: {
      end(number)
    }
  }

  /// Ends the waits whose key is free or whose time limit is reached.
  private func look() {
    // Called without the lock, because they look at files.
    let progress = state.withLock { $0.waits.mapValues(\.progress) }.mapValues { $0() }
    let now = SystemTime.monotonic
    let ended = state.withLock { state in
      Array(state.waits.keys).compactMap { number -> (wait: Wait, isFree: Bool)? in
        if let progress = progress[number] { state.waits[number]?.note(progress, at: now) }
        guard let isFree = Self.ending(of: number, in: state, now: now) else { return nil }
        return Self.remove(number, from: &state).map { ($0, isFree) }
      }
    }
    state.withLock { state in
      let ends = state.waits.values.map { min($0.end, $0.patienceEnds) }
      state.watch?.lookAgain(within: ends.min().map { $0 - SystemTime.monotonic })
    }
    for (wait, isFree) in ended { wait.continuation.resume(returning: isFree) }
  }

  /// Whether a wait ends with a free key (true) or because its time is over (false); nil while it goes on.
  private static func ending(of number: Int, in state: State, now: Double) -> Bool? {
    guard let wait = state.waits[number], let file = state.file else { return false }
    if !file.isLockedByOthers(wait.offset) { return true }
    return now >= wait.end || now >= wait.patienceEnds ? false : nil
  }

  private func end(_ number: Int) {
    state.withLock { Self.remove(number, from: &$0) }?.continuation.resume(returning: false)
  }

  /// Removes a wait, and the watch with the last one.
  private static func remove(_ number: Int, from state: inout State) -> Wait? {
    let wait = state.waits.removeValue(forKey: number)
    if state.waits.isEmpty, let watch = state.watch {
      watch.cancel()
      state.watch = nil
      state.file?.unlock(waiting)
    }
    return wait
  }
}

/// Calls back when a file is written to or closed, when a wait's time is over, and for file systems that report neither
/// from time to time: soon at first, then once a second.
///
/// `@unchecked Sendable`: the sources are configured before they are activated, and may be cancelled and scheduled from
/// any thread. `pause` is used with the lock of ``RequestLocks``.
private final class LockFileWatch: @unchecked Sendable {
  private let events: (any DispatchSourceRead)?
  private let timer: any DispatchSourceTimer
  private static let pauses = 0.01...1
  private var pause = LockFileWatch.pauses.lowerBound

  init(path: String, onChange: @escaping @Sendable () -> Void) {
    let queue = DispatchQueue(label: "imagemill.cache.locks", qos: .userInitiated)
    timer = DispatchSource.makeTimerSource(queue: queue)
    timer.setEventHandler(handler: onChange)
    let descriptor = inotify_init1(Int32(IN_NONBLOCK | IN_CLOEXEC))
    if descriptor >= 0, inotify_add_watch(descriptor, path, UInt32(IN_MODIFY | IN_CLOSE_WRITE)) >= 0 {
      let events = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: queue)
      events.setEventHandler {
        var buffer = [UInt8](repeating: 0, count: 4096)
        while read(descriptor, &buffer, buffer.count) > 0 {}
        onChange()
      }
      events.setCancelHandler { close(descriptor) }
      self.events = events
      events.activate()
    } else {
      if descriptor >= 0 { close(descriptor) }
      events = nil
    }
    timer.activate()
  }

  /// Begins with short pauses again, for a new wait.
  func hurry() { pause = Self.pauses.lowerBound }

  /// Schedules the next call.
  /// - Parameter seconds: the time until a wait ends.
  func lookAgain(within seconds: Double?) {
    timer.schedule(deadline: .now() + max(0, min(pause, seconds ?? pause)), leeway: .milliseconds(1))
    pause = min(2 * pause, Self.pauses.upperBound)
  }

  func cancel() {
    events?.cancel()
    timer.cancel()
  }
}
