import Glibc

extension FontFile {
  /// The maximum size of a font, also after decompression, in bytes. Fonts of Chinese have 20 MB.
  static let mostBytes = 64 << 20

  /// Why a file isn't given to FreeType, which would wait for a named pipe's writer and unpack any font in memory.
  /// - Returns: The reason, to follow the file's name; nil if the file may be read.
  package static func refusal(ofFile path: String) -> String? {
    if let refusal = PlacedFiles.refusal(of: path) { return refusal }
    let path = PlacedFiles.location(of: path)
    // O_NONBLOCK: opening a named pipe must not wait for its writer.
    let descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
    guard descriptor >= 0 else { return "can't be read: \(String(cString: strerror(errno)))" }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      return "isn't a regular file"
    }
    guard status.st_size <= mostBytes else { return "has more than \(mostBytes >> 20) MiB" }
    var head = [UInt8](repeating: 0, count: 20)
    guard pread(descriptor, &head, head.count, 0) == head.count else { return "isn't a readable font file" }
    // FreeType decompresses fonts of X11: gzip, compress and bzip2.
    guard ![[0x1f, 0x8b], [0x1f, 0x9d], [0x42, 0x5a]].contains(where: { head.starts(with: $0) }) else {
      return "is compressed; unpack it"
    }
    // Both versions of WOFF have the unpacked size at the same place (W3C WOFF 1.0 and 2.0, header).
    let isPacked = head.starts(with: Array("wOFF".utf8)) || head.starts(with: Array("wOF2".utf8))
    let unpacked = head[16..<20].reduce(0) { $0 << 8 | Int($1) }
    guard !isPacked || unpacked <= mostBytes else {
      return "unpacks to more than \(mostBytes >> 20) MiB"
    }
    return nil
  }
}
