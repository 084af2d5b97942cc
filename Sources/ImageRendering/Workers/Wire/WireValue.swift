/// A value that can be sent between a process and its worker.
///
/// Both run the same executable, so that fields need no names or versions and are read in the order in which they were
/// written. JSON took a tenth of a small image's rendering time.
protocol WireValue {
  /// Appends the value.
  func write(to writer: inout WireWriter) throws(WireError)
  /// Reads a value at the reader's position.
  init(from reader: inout WireReader) throws(WireError)
}

/// A malformed frame.
struct WireError: Error {
  let message: String
}

/// Collects the bytes of a frame.
struct WireWriter {
  private(set) var bytes: [UInt8] = []
  /// The open files that go with the frame, which refers to them by their place here.
  private(set) var descriptors: [Int32] = []

  mutating func write(_ value: some WireValue) throws(WireError) { try value.write(to: &self) }

  /// Adds an open file to the frame.
  mutating func append(descriptor: Int32) {
    append(UInt64(descriptors.count))
    descriptors.append(descriptor)
  }

  /// Appends an integer in little-endian order.
  mutating func append(_ word: UInt64) {
    withUnsafeBytes(of: word.littleEndian) { bytes.append(contentsOf: $0) }
  }

  /// Appends the number of bytes and the bytes.
  mutating func append(block: some Collection<UInt8>) {
    append(UInt64(block.count))
    bytes.append(contentsOf: block)
  }
}

/// Decodes the bytes of a frame.
struct WireReader {
  private let bytes: [UInt8]
  private let descriptors: [Int32]
  private var place = 0

  /// - Parameter descriptors: The open files that came with the frame. Default: none.
  init(_ bytes: [UInt8], descriptors: [Int32] = []) {
    self.bytes = bytes
    self.descriptors = descriptors
  }

  var isAtEnd: Bool { place == bytes.count }

  mutating func read<Value: WireValue>(_: Value.Type = Value.self) throws(WireError) -> Value {
    try Value(from: &self)
  }

  mutating func word() throws(WireError) -> UInt64 {
    guard bytes.count - place >= 8 else { throw WireError(message: "the frame cuts off a number") }
    defer { place += 8 }
    return bytes.withUnsafeBytes {
      UInt64(littleEndian: $0.loadUnaligned(fromByteOffset: place, as: UInt64.self))
    }
  }

  mutating func descriptor() throws(WireError) -> Int32 {
    let index = try word()
    guard index < UInt64(descriptors.count) else { throw WireError(message: "the frame lacks an open file") }
    return descriptors[Int(index)]
  }

  mutating func block() throws(WireError) -> ArraySlice<UInt8> {
    let count = try word()
    guard count <= UInt64(bytes.count - place) else { throw WireError(message: "the frame cuts off a block") }
    defer { place += Int(count) }
    return bytes[place..<place + Int(count)]
  }

  /// Reads the number of values that follow. Each takes at least one byte, which bounds the count.
  mutating func count() throws(WireError) -> Int {
    let count = try word()
    guard count <= UInt64(bytes.count - place) else { throw WireError(message: "the frame cuts off a list") }
    return Int(count)
  }
}
