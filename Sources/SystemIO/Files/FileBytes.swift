import Glibc

/// Random access to a file's bytes, buffered 64 KiB at a time.
package struct FileBytes: ~Copyable {
  /// The file's size in bytes when it was opened.
  package let count: Int
  private let descriptor: Int32
  private let closesDescriptor: Bool
  /// The first error of reading; nil if every byte that was asked for could be read, or lies past the end.
  package private(set) var failure: SystemError?
  private var window: [UInt8] = []
  private var start = 0

  private static let windowSize = 1 << 16

  /// Opens a file, which is closed with the value.
  package init(path: String) throws(SystemError) { try self.init(.path(path)) }

  /// Opens a file, which is closed with the value unless it was open.
  package init(_ place: FilePlace) throws(SystemError) {
    let descriptor = try place.opened()
    var status = stat()
    guard fstat(descriptor, &status) == 0 else {
      let failure = SystemError.last
      if !place.isOpen { close(descriptor) }
      throw failure
    }
    self.descriptor = descriptor
    closesDescriptor = !place.isOpen
    count = Int(status.st_size)
  }

  deinit { if closesDescriptor { close(descriptor) } }

  /// The first bytes, or all of a shorter file.
  /// - Parameter limit: The most bytes to read.
  package func head(_ limit: Int) throws(SystemError) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: min(limit, count))
    let got = try FileIO.read(descriptor, at: 0, into: &bytes)
    // The file has become shorter.
    bytes.removeLast(bytes.count - got)
    return bytes
  }

  /// A byte; nil at the end, or where nothing can be read: then ``failure`` says why.
  package mutating func byte(_ place: Int) -> UInt8? {
    if place >= start, place < start + window.count { return window[place - start] }
    guard place >= 0, place < count else { return nil }
    var fresh = [UInt8](repeating: 0, count: min(Self.windowSize, count - place))
    let got: Int
    do throws(SystemError) {
      got = try FileIO.read(descriptor, at: place, into: &fresh)
    } catch {
      failure = failure ?? error
      return nil
    }
    // The file has become shorter.
    guard got > 0 else { return nil }
    window = Array(fresh.prefix(got))
    start = place
    return window[0]
  }

  /// The `length` bytes at an offset; nil if the range exceeds the file or reading fails.
  package mutating func bytes(_ place: Int, _ length: Int) -> [UInt8]? {
    guard length >= 0, place >= 0, place + length <= count else { return nil }
    if place >= start, place + length <= start + window.count {
      return Array(window[place - start..<place - start + length])
    }
    var result: [UInt8] = []
    result.reserveCapacity(length)
    for index in 0..<length {
      guard let byte = byte(place + index) else { return nil }
      result.append(byte)
    }
    return result
  }

  /// The unsigned integer of `length` bytes, 1 to 7, at an offset; nil if it exceeds the file or reading
  /// fails.
  package mutating func number(_ place: Int, _ length: Int, littleEndian: Bool) -> Int? {
    guard let bytes = bytes(place, length) else { return nil }
    return (littleEndian ? bytes.reversed() : bytes).reduce(0) { $0 << 8 | Int($1) }
  }
}
