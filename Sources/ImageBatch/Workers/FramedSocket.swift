import Glibc

/// One end of a stream socket that carries frames: a length of four bytes (little-endian), then that many bytes
/// of a ``WireValue``.
struct FramedSocket {
  /// The descriptor; whoever made it closes it.
  let descriptor: Int32

  /// The longest frame that is believed, in bytes. A request of thousands of outputs stays far below it.
  static let longestFrame = 64 << 20

  /// Why a frame could not be sent or received.
  enum Failure: Error {
    /// The other end is gone.
    case closed
    /// No frame within the time.
    case timedOut
    /// `errno`.
    case system(Int32)
    /// The frame isn't what was expected.
    case malformed(String)
  }

  /// Sends `value` as one frame.
  func send(_ value: some WireValue) throws(Failure) {
    var writer = WireWriter()
    do throws(WireError) { try writer.write(value) } catch { throw .malformed(error.message) }
    let body = writer.bytes
    var frame: [UInt8] = []
    frame.reserveCapacity(body.count + 4)
    withUnsafeBytes(of: UInt32(body.count).littleEndian) { frame.append(contentsOf: $0) }
    frame.append(contentsOf: body)
    var sent = 0
    while sent < frame.count {
      let count = frame.withUnsafeBytes { bytes in
        Glibc.send(
          descriptor, bytes.baseAddress.map { $0 + sent }, frame.count - sent, Int32(MSG_NOSIGNAL))
      }
      if count > 0 {
        sent += count
      } else if errno == EPIPE || errno == ECONNRESET {
        throw .closed
      } else if errno != EINTR {
        throw .system(errno)
      }
    }
  }

  /// Receives one frame, within `timeout` from now if one is given.
  func receive<Value: WireValue>(_ type: Value.Type, timeout: Duration? = nil) throws(Failure) -> Value {
    let deadline = timeout.map { ContinuousClock.now + $0 }
    let header = try bytes(4, until: deadline)
    let length = header.enumerated().reduce(0) { $0 | Int($1.element) << (8 * $1.offset) }
    guard length <= Self.longestFrame else { throw .malformed("a frame of \(length) bytes") }
    let body = try bytes(length, until: deadline)
    var reader = WireReader(body)
    do throws(WireError) {
      let value = try reader.read(type)
      guard reader.isAtEnd else { throw WireError(message: "the frame goes on behind its value") }
      return value
    } catch {
      throw .malformed(error.message)
    }
  }

  private func bytes(_ count: Int, until deadline: ContinuousClock.Instant?) throws(Failure) -> [UInt8] {
    var buffer = [UInt8](repeating: 0, count: count)
    var filled = 0
    while filled < count {
      try awaitBytes(until: deadline)
      let received = buffer.withUnsafeMutableBytes { bytes in
        recv(descriptor, bytes.baseAddress.map { $0 + filled }, count - filled, 0)
      }
      if received > 0 {
        filled += received
      } else if received == 0 || errno == ECONNRESET {
        throw .closed
      } else if errno != EINTR {
        throw .system(errno)
      }
    }
    return buffer
  }

  private func awaitBytes(until deadline: ContinuousClock.Instant?) throws(Failure) {
    guard let deadline else { return }
    while true {
      let left = ContinuousClock.now.duration(to: deadline)
      guard left > .zero else { throw .timedOut }
      var entry = pollfd(descriptor: descriptor)
      let milliseconds = left.components.seconds * 1000 + left.components.attoseconds / 1_000_000_000_000_000
      let ready = poll(&entry, 1, Int32(clamping: milliseconds + 1))
      if ready > 0 { return }
      if ready < 0 && errno != EINTR { throw .system(errno) }
    }
  }
}

extension pollfd {
  fileprivate init(descriptor: Int32) {
    self.init(fd: descriptor, events: Int16(POLLIN), revents: 0)
  }
}
