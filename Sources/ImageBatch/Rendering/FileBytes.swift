import Glibc

/// A file's bytes by their places, read a window at a time.
struct FileBytes: ~Copyable {
  /// The file's size when it was opened.
  let count: Int
  private let descriptor: Int32
  private var window: [UInt8] = []
  private var start = 0

  private static let windowSize = 1 << 16

  init(path: String) throws(JobError) {
    descriptor = open(path, O_RDONLY | O_CLOEXEC)
    var status = stat()
    guard descriptor >= 0, fstat(descriptor, &status) == 0 else {
      let reason = String(cString: strerror(errno))
      if descriptor >= 0 { close(descriptor) }
      throw JobError(code: "corrupt", stage: .decode, message: "the file can't be read: \(reason)")
    }
    count = Int(status.st_size)
  }

  deinit { close(descriptor) }

  /// A byte; nil at the end, or where nothing can be read.
  mutating func byte(_ place: Int) -> UInt8? {
    if place >= start, place < start + window.count { return window[place - start] }
    guard place >= 0, place < count else { return nil }
    var fresh = [UInt8](repeating: 0, count: min(Self.windowSize, count - place))
    let got = pread(descriptor, &fresh, fresh.count, place)
    guard got > 0 else { return nil }
    window = Array(fresh.prefix(got))
    start = place
    return window[0]
  }

  /// So many bytes; nil where they aren't all there.
  mutating func bytes(_ place: Int, _ length: Int) -> [UInt8]? {
    guard length >= 0, place >= 0, place + length <= count else { return nil }
    var result: [UInt8] = []
    result.reserveCapacity(length)
    for index in 0..<length {
      guard let byte = byte(place + index) else { return nil }
      result.append(byte)
    }
    return result
  }

  /// A whole number of `length` bytes.
  mutating func number(_ place: Int, _ length: Int, littleEndian: Bool) -> Int? {
    guard let bytes = bytes(place, length) else { return nil }
    return (littleEndian ? bytes.reversed() : bytes).reduce(0) { $0 << 8 | Int($1) }
  }
}
