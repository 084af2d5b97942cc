import CZlib

/// Decompresses a gzip stream (RFC 1952), which may have several members, as it arrives.
struct Inflater: ~Copyable {
  private let stream: UnsafeMutablePointer<z_stream>
  private var output = [UInt8](repeating: 0, count: 64 << 10)
  /// Whether the last member is complete.
  private(set) var isComplete = false

  struct Failure: Error {
    var message: String
  }

  /// The first two bytes of a gzip member.
  static let signature: [UInt8] = [0x1F, 0x8B]

  init() throws(Failure) {
    stream = .allocate(capacity: 1)
    stream.initialize(to: z_stream())
    // 15 bits of window, plus 16 to accept gzip only.
    guard inflateInit2_(stream, 15 + 16, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)) == Z_OK else {
      stream.deallocate()
      throw Failure(message: "zlib can't be initialized")
    }
  }

  deinit {
    inflateEnd(stream)
    stream.deallocate()
  }

  /// Decompresses `bytes` and passes the result to `sink`, up to 64 KiB at a time.
  mutating func inflate(_ bytes: ArraySlice<UInt8>, into sink: (ArraySlice<UInt8>) -> Void) throws(Failure) {
    var failure: Failure?
    bytes.withUnsafeBufferPointer { input in
      // zlib only reads the input, but declares the pointer without const.
      stream.pointee.next_in = UnsafeMutablePointer(mutating: input.baseAddress)
      stream.pointee.avail_in = UInt32(input.count)
      var isFull = false
      while stream.pointee.avail_in > 0 || isFull {
        if isComplete {
          inflateReset(stream)
          isComplete = false
        }
        let (status, count) = output.withUnsafeMutableBufferPointer { room in
          stream.pointee.next_out = room.baseAddress
          stream.pointee.avail_out = UInt32(room.count)
          let status = CZlib.inflate(stream, Z_NO_FLUSH)
          return (status, room.count - Int(stream.pointee.avail_out))
        }
        sink(output[..<count])
        isFull = count == output.count && status == Z_OK
        if status == Z_STREAM_END { isComplete = true }
        if status != Z_OK, status != Z_STREAM_END, status != Z_BUF_ERROR {
          failure = Failure(
            message: "the gzip data is corrupt: \(stream.pointee.msg.map { String(cString: $0) } ?? "")")
          break
        }
        if status == Z_BUF_ERROR { break }
      }
    }
    stream.pointee.next_in = nil
    if let failure { throw failure }
  }
}
