import CSandbox
import Glibc
import SystemIO

/// One end of a stream socket that carries frames: a four-byte little-endian length, followed by a ``WireValue``.
///
/// The open files of a value go with the frame's first byte (`SCM_RIGHTS` in unix(7)). Of more than a message can carry, the
/// first go with empty frames before.
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
    var files = writer.descriptors[...]
    while files.count > Self.mostFiles {
      try send([0, 0, 0, 0], with: Array(files.prefix(Self.mostFiles)), until: deadline)
      files = files.dropFirst(Self.mostFiles)
    }
    var frame: [UInt8] = []
    frame.reserveCapacity(body.count + 4)
    withUnsafeBytes(of: UInt32(body.count).littleEndian) { frame.append(contentsOf: $0) }
    frame.append(contentsOf: body)
    try send(frame, with: Array(files), until: deadline)
  }

  private static let mostFiles = Int(CSANDBOX_MOST_DESCRIPTORS)

  private func send(
    _ frame: [UInt8], with files: [Int32], until deadline: ContinuousClock.Instant?
  ) throws(Failure) {
    var sent = 0
    while sent < frame.count {
      // A frame that is longer than the socket's buffer waits for its reader.
      try awaitReady(POLLOUT, until: deadline)
      let count = frame.withUnsafeBytes { bytes in
        csandbox_send(
          descriptor, bytes.baseAddress.map { $0 + sent }, frame.count - sent,
          deadline == nil ? 0 : Int32(MSG_DONTWAIT), files, sent == 0 ? files.count : 0)
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

  /// Receives one frame within `timeout` (default: no limit). Open files that come with it are refused.
  func receive<Value: WireValue>(_ type: Value.Type, timeout: Duration? = nil) throws(Failure) -> Value {
    let deadline = timeout.map { ContinuousClock.now + $0 }
    var files: [FileDescriptor]?
    let length = try length(until: deadline, &files)
    return try value(type, try bytes(length, until: deadline), [])
  }

  /// Receives one frame with open files, to which the value refers. They are closed when they are released.
  func receive<Value: WireValue>(
    _ type: Value.Type, files received: inout [FileDescriptor]
  ) throws(Failure) -> Value {
    var files: [FileDescriptor]? = []
    var length = 0
    while length == 0 { length = try self.length(until: nil, &files) }
    received = files ?? []
    return try value(type, try bytes(length, until: nil), received)
  }

  private func length(
    until deadline: ContinuousClock.Instant?, _ files: inout [FileDescriptor]?
  ) throws(Failure) -> Int {
    let header = try bytes(4, until: deadline, &files)
    let length = header.enumerated().reduce(0) { $0 | Int($1.element) << (8 * $1.offset) }
    guard length <= Self.longestFrame else { throw .malformed("a frame of \(length) bytes") }
    return length
  }

  private func value<Value: WireValue>(
    _ type: Value.Type, _ body: [UInt8], _ files: [FileDescriptor]
  ) throws(Failure) -> Value {
    var reader = WireReader(body, descriptors: files.map(\.number))
    do throws(WireError) {
      let value = try reader.read(type)
      guard reader.isAtEnd else { throw WireError(message: "the frame has bytes after its value") }
      return value
    } catch {
      throw .malformed(error.message)
    }
  }

  private func bytes(_ count: Int, until deadline: ContinuousClock.Instant?) throws(Failure) -> [UInt8] {
    var files: [FileDescriptor]?
    return try bytes(count, until: deadline, &files)
  }

  /// - Parameter files: Gets the open files that come with the bytes; nil to refuse them.
  private func bytes(
    _ count: Int, until deadline: ContinuousClock.Instant?, _ files: inout [FileDescriptor]?
  ) throws(Failure) -> [UInt8] {
    var buffer = [UInt8](repeating: 0, count: count)
    var filled = 0
    while filled < count {
      try awaitReady(POLLIN, until: deadline)
      let received = buffer.withUnsafeMutableBytes { bytes in
        let rest = bytes.baseAddress.map { $0 + filled }
        if files == nil { return recv(descriptor, rest, count - filled, 0) }
        return receive(rest, count - filled, &files)
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

  private func receive(
    _ bytes: UnsafeMutableRawPointer?, _ count: Int, _ files: inout [FileDescriptor]?
  ) -> Int {
    withUnsafeTemporaryAllocation(of: Int32.self, capacity: Self.mostFiles) { numbers in
      var found = 0
      let received = csandbox_receive(descriptor, bytes, count, numbers.baseAddress, &found)
      let code = errno
      files? += numbers.prefix(found).map { FileDescriptor($0) }
      errno = code
      return received
    }
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
