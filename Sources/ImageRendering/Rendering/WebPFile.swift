import Glibc
import SystemIO

/// A WebP file's chunks (RFC 9649, section 2).
///
/// libvips before 8.15 writes a useless EXIF chunk of about 200 bytes into every WebP, even with `strip`.
enum WebPFile {
  /// The position of a trailing EXIF chunk, and of the VP8X flags that declare it.
  private struct Tail {
    var position: Int
    var flagsPosition: Int
    /// The flags without the EXIF bit (0x08).
    var flags: UInt8
    /// The RIFF size without the chunk, little endian. It doesn't count the eight-byte RIFF header.
    var size: [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: (position - 8) >> (8 * $0)) } }
  }

  /// The bytes without a trailing EXIF chunk.
  static func withoutEXIF(_ bytes: [UInt8]) -> [UInt8] {
    var result = bytes
    let tail = tail(count: bytes.count) { Array(bytes[$0..<$0 + $1]) }
    guard let tail else { return bytes }
    result.removeSubrange(tail.position...)
    result.replaceSubrange(4..<8, with: tail.size)
    result[tail.flagsPosition] = tail.flags
    return result
  }

  /// Removes a trailing EXIF chunk from a file.
  static func dropEXIF(at path: String) throws(RenderError) {
    do throws(SystemError) {
      let file = try FileDescriptor(opening: path, O_RDWR)
      let tail = try tail(count: Int(file.status.st_size)) { (position, count) throws(SystemError) in
        var bytes = [UInt8](repeating: 0, count: count)
        guard try FileIO.read(file.number, at: position, into: &bytes) == count else {
          throw SystemError(code: EIO)
        }
        return bytes
      }
      guard let tail else { return }
      var (flags, size) = (tail.flags, tail.size)
      guard pwrite(file.number, &flags, 1, tail.flagsPosition) == 1, pwrite(file.number, &size, 4, 4) == 4,
        ftruncate(file.number, tail.position) == 0
      else { throw .last }
    } catch {
      throw .unwritable(path, error)
    }
  }

  /// - Parameter read: Returns exactly `count` bytes from `position`.
  private static func tail<Failure>(
    count: Int, read: (_ position: Int, _ count: Int) throws(Failure) -> [UInt8]
  ) throws(Failure) -> Tail? {
    var position = 12
    var flagsPosition: Int?
    while position + 8 <= count {
      let head = try read(position, 8)
      let length = head[4..<8].reversed().reduce(0) { $0 << 8 | Int($1) }
      let end = position + 8 + length + length % 2
      if head.starts(with: "VP8X".utf8), length > 0, end <= count { flagsPosition = position + 8 }
      if head.starts(with: "EXIF".utf8), end == count, let flagsPosition {
        let flags = try read(flagsPosition, 1)[0]
        return Tail(position: position, flagsPosition: flagsPosition, flags: flags & ~0x08)
      }
      position = end
    }
    return nil
  }
}
