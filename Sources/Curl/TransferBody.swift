import Glibc
package import SystemIO

/// The body of a request. libcurl may read it again from its start, if a reused connection had died.
public enum TransferBody: Sendable {
  /// Bytes in memory.
  case bytes([UInt8])
  /// A file's first bytes, which must not change during the transfer.
  /// - Parameters:
  ///   - file: The file, open for reading. Its position isn't used.
  ///   - byteCount: The number of bytes, at least 0.
  case file(OpenFile, byteCount: Int)

  /// An open file that can be read at any position.
  public struct OpenFile: Sendable {
    let descriptor: FileDescriptor
    let offset: Int

    /// - Parameter offset: The position in the file at which the body begins. Default: 0.
    package init(_ descriptor: FileDescriptor, offset: Int = 0) {
      self.descriptor = descriptor
      self.offset = offset
    }
  }

  /// The length of the body in bytes.
  public var byteCount: Int {
    switch self {
    case .bytes(let bytes): bytes.count
    case .file(_, let byteCount): byteCount
    }
  }

  /// Copies bytes from a position into a buffer.
  /// - Returns: The number of bytes, 0 at the end; nil if the file can't be read, or is shorter than it was.
  func read(at offset: Int, into buffer: UnsafeMutableRawBufferPointer) -> Int? {
    let count = min(buffer.count, byteCount - offset)
    guard count > 0 else { return 0 }
    switch self {
    case .bytes(let bytes):
      buffer.copyBytes(from: bytes[offset..<offset + count])
      return count
    case .file(let file, _):
      while true {
        let read = pread(file.descriptor.number, buffer.baseAddress, count, off_t(file.offset + offset))
        if read > 0 { return read }
        guard read < 0, errno == EINTR else { return nil }
      }
    }
  }
}
