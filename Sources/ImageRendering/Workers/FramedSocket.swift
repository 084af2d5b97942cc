import Glibc

/// One end of a stream socket that carries frames: a four-byte little-endian length, followed by a ``WireValue``.
struct FramedSocket {
  /// The descriptor. The owner closes it.
  let descriptor: Int32
  /// The standard error of the process at the other end. Calls with a timeout read it while they wait, because a process
  /// that can't write blocks and sends no frame.
  var output: ProcessOutput?

  /// The longest accepted frame, in bytes. A request of thousands of outputs is far shorter.
  static let longestFrame = 64 << 20

  /// An error of sending or receiving.
  enum Failure: Error {
    /// The other end is closed.
    case closed
    /// No complete frame arrived in time.
    case timedOut
    /// A system error, with its `errno`.
    case system(Int32)
    /// The received frame isn't the wanted value.
    case malformed(String)
    /// The value can't be sent as a frame. Nothing was sent.
    case unsendable(String)
  }

  /// Sends `value` as one frame within `timeout` (default: no limit).
  func send(_ value: some WireValue, timeout: Duration? = nil) throws(Failure) {
    let deadline = timeout.map { ContinuousClock.now + $0 }
    var writer = WireWriter()
    do throws(WireError) { try writer.write(value) } catch { throw .unsendable(error.message) }
    let body = writer.bytes
    guard body.count <= Self.longestFrame else { throw .unsendable("a frame of \(body.count) bytes") }
    var frame: [UInt8] = []
    frame.reserveCapacity(body.count + 4)
    withUnsafeBytes(of: UInt32(body.count).littleEndian) { frame.append(contentsOf: $0) }
    frame.append(contentsOf: body)
    var sent = 0
    while sent < frame.count {
      // A frame that is longer than the socket's buffer waits for its reader.
      try awaitReady(POLLOUT, until: deadline)
      let count = frame.withUnsafeBytes { bytes in
        Glibc.send(
          descriptor, bytes.baseAddress.map { $0 + sent }, frame.count - sent,
          Int32(MSG_NOSIGNAL) | (deadline == nil ? 0 : Int32(MSG_DONTWAIT)))
      }
      if count > 0 {
        sent += count
      } else if errno == EPIPE || errno == ECONNRESET {
        throw .closed
      } else if errno != EINTR && errno != EAGAIN {
        throw .system(errno)
      }
    }
  }

  /// Receives one frame within `timeout` (default: no limit).
  func receive<Value: WireValue>(_ type: Value.Type, timeout: Duration? = nil) throws(Failure) -> Value {
    let deadline = timeout.map { ContinuousClock.now + $0 }
    let header = try bytes(4, until: deadline)
    let length = header.enumerated().reduce(0) { $0 | Int($1.element) << (8 * $1.offset) }
    guard length <= Self.longestFrame else { throw .malformed("a frame of \(length) bytes") }
    let body = try bytes(length, until: deadline)
    var reader = WireReader(body)
    do throws(WireError) {
      let value = try reader.read(type)
      guard reader.isAtEnd else { throw WireError(message: "the frame has bytes after its value") }
      return value
    } catch {
      throw .malformed(error.message)
    }
  }

  private func bytes(_ count: Int, until deadline: ContinuousClock.Instant?) throws(Failure) -> [UInt8] {
    var buffer = [UInt8](repeating: 0, count: count)
    var filled = 0
    while filled < count {
      try awaitReady(POLLIN, until: deadline)
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

  private func awaitReady(_ events: Int32, until deadline: ContinuousClock.Instant?) throws(Failure) {
    guard let deadline else { return }
    while true {
      // What is there is taken even past the deadline: this process, but not the other, may have been stopped meanwhile.
      let left = max(.zero, ContinuousClock.now.duration(to: deadline))
      var entries = [pollfd(fd: descriptor, events: Int16(events), revents: 0)]
      if let output, output.isOpen {
        entries.append(pollfd(fd: output.descriptor, events: Int16(POLLIN), revents: 0))
      }
      let milliseconds = left.components.seconds * 1000 + left.components.attoseconds / 1_000_000_000_000_000
      let ready = poll(
        &entries, nfds_t(entries.count), left > .zero ? Int32(clamping: milliseconds + 1) : 0)
      if ready < 0 && errno != EINTR { throw .system(errno) }
      if ready == 0 && left == .zero { throw .timedOut }
      guard ready > 0 else { continue }
      if entries.count > 1, entries[1].revents != 0 { output?.read() }
      if entries[0].revents != 0 { return }
    }
  }
}
