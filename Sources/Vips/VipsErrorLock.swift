import CVips
import Glibc
import Synchronization

/// Determines whether a thread was alone in libvips when its call failed, so that the text in libvips' process-wide
/// error buffer is certainly about that call.
///
/// Calls run concurrently under a shared lock. A caller that needs certainty repeats its work with ``exclusive(_:)``,
/// which waits until no other call runs, and blocks new ones while it works. New calls start while it waits: a lock that
/// prefers it would deadlock a call whose callback, on a thread of libvips, calls libvips again.
public enum VipsErrorLock {
  private struct Traffic {
    var inside = 0
    var entered: UInt64 = 0
  }

  private static let traffic = Mutex(Traffic())

  /// `pthread_rwlock_t` needs a stable address, so it is allocated once and never freed. `nonisolated(unsafe)` is sound
  /// because the pointer never changes and the lock itself is thread-safe.
  nonisolated(unsafe) private static let lock: UnsafeMutablePointer<pthread_rwlock_t> = {
    let lock = UnsafeMutablePointer<pthread_rwlock_t>.allocate(capacity: 1)
    pthread_rwlock_init(lock, nil)
    return lock
  }()

  /// True inside ``exclusive(_:)``, whose calls must not take the lock again and deadlock.
  @TaskLocal private static var holdsLock = false

  /// Runs `body` with no other thread in libvips, so that an error's text is certain.
  ///
  /// Waits until no other thread's call runs, which may take long while many images are rendered. May be nested.
  /// - Parameter body: The work, which must not wait for another thread that calls libvips.
  /// - Returns: The result of `body`.
  public static func exclusive<Result>(_ body: () -> Result) -> Result {
    if holdsLock { return body() }
    pthread_rwlock_wrlock(lock)
    defer { pthread_rwlock_unlock(lock) }
    return $holdsLock.withValue(true, operation: body)
  }

  /// Runs one libvips call. If `body` returns nil, throws `VipsError` with libvips' error text.
  static func capturingError<Result>(
    _ operation: @autoclosure () -> String, _ body: () -> Result?
  ) throws(VipsError) -> Result {
    let shares = !holdsLock
    if shares { pthread_rwlock_rdlock(lock) }
    defer { if shares { pthread_rwlock_unlock(lock) } }

    let (entry, cameAlone) = traffic.withLock { traffic in
      traffic.inside += 1
      traffic.entered += 1
      return (traffic.entered, traffic.inside == 1)
    }
    defer { traffic.withLock { $0.inside -= 1 } }
    if cameAlone { vips_error_clear() }

    if let result = body() { return result }
    let stayedAlone = cameAlone && traffic.withLock { $0.entered == entry }
    throw VipsError(
      operation: operation(), text: VipsError.takeBuffer(), isCertain: stayedAlone || holdsLock)
  }
}
