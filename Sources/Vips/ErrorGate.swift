import CVips
import Glibc
import Synchronization

/// Knows whether a thread was alone in libvips while its call failed, and so whether the words in the one
/// error buffer of the process are about that call.
///
/// Calls run side by side under a shared lock. A caller that must know for sure repeats its work with
/// `alone(_:)`, which waits for the others to end and keeps them out meanwhile.
public enum ErrorGate {
  private struct Traffic {
    var inside = 0
    var entered: UInt64 = 0
  }

  private static let traffic = Mutex(Traffic())

  /// A lock of the platform needs an address that never changes. It lives as long as the process, and any thread may
  /// use it: that is what it is for.
  nonisolated(unsafe) private static let lock: UnsafeMutablePointer<pthread_rwlock_t> = {
    let lock = UnsafeMutablePointer<pthread_rwlock_t>.allocate(capacity: 1)
    pthread_rwlock_init(lock, nil)
    return lock
  }()

  /// Set on the thread that holds the lock alone, so that its own calls don't wait for it.
  @TaskLocal private static var holdsLock = false

  /// Runs `body` with no other thread in libvips: an error's text is then certain.
  public static func alone<Result>(_ body: () -> Result) -> Result {
    if holdsLock { return body() }
    pthread_rwlock_wrlock(lock)
    defer { pthread_rwlock_unlock(lock) }
    return $holdsLock.withValue(true, operation: body)
  }

  /// Runs one libvips call. `body` returns nil on failure, which is thrown with libvips' words.
  static func pass<Result>(
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
