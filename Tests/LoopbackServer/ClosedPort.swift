import Glibc

/// A port of 127.0.0.1 at which nobody listens: connections are refused. It is bound, so that no other test's server gets
/// its number meanwhile.
public final class ClosedPort: Sendable {
  private let descriptor: Int32
  private let port: UInt16

  /// Takes a free port.
  public init() throws {
    descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    var address = ListeningSocket.address(0)
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let descriptor = self.descriptor
    let isBound = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, length) == 0 && getsockname(descriptor, $0, &length) == 0
      }
    }
    port = UInt16(bigEndian: address.sin_port)
    guard isBound else {
      throw ServerError(message: "can't bind a port of 127.0.0.1: \(String(cString: strerror(errno)))")
    }
  }

  deinit { close(descriptor) }

  /// `http://127.0.0.1:PORT` and the path.
  public func url(_ path: String) -> String { "http://127.0.0.1:\(port)\(path)" }
}
