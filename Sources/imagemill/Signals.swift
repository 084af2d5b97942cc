import Dispatch
import Glibc
import Synchronization

/// SIGINT and SIGTERM: the first asks for an orderly end, the second ends the process at once.
final class Signals: Sendable {
  private let received = Mutex<Int32?>(nil)
  private let sources: [any DispatchSourceSignal]

  /// Calls `onFirst` when the first of them comes.
  init(onFirst: @escaping @Sendable () -> Void) {
    let received = received
    let queue = DispatchQueue(label: "imagemill.signals")
    sources = [SIGINT, SIGTERM].map { number in
      signal(number, SIG_IGN)
      let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
      source.setEventHandler {
        let isFirst = received.withLock { received in
          defer { received = number }
          return received == nil
        }
        if isFirst { onFirst() } else { _exit(Signals.status(of: number)) }
      }
      source.resume()
      return source
    }
  }

  /// The exit status that the signal calls for, if one came.
  var exitStatus: ExitStatus? {
    received.withLock { $0 }.flatMap { ExitStatus(rawValue: Self.status(of: $0)) }
  }

  private static func status(of signal: Int32) -> Int32 { 128 + signal }
}
