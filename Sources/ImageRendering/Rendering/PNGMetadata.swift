import CZlib
import SystemIO

/// Limits a PNG's compressed texts and color profile (ISO/IEC 15948, section 11.3). The decoder decompresses
/// them completely while it reads the header, and a kilobyte can expand to a megabyte.
enum PNGMetadata {
  /// The maximum total size of texts and profile after decompression, in bytes.
  static let mostBytes = 32 << 20
  /// The maximum number of texts. For each one, libvips searches all earlier ones.
  static let mostTexts = 2000

  /// Checks the chunks before the pixels, without keeping what they unpack to.
  /// - Throws: `RenderError` with code `tooMuchMemory`, or `unreadable` if the file can't be read.
  static func check(_ source: FilePlace) throws(RenderError) {
    var file = try FileReading.opened(source)
    var (bytes, texts, place) = (0, 0, 8)
    while let length = file.number(place, 4, littleEndian: false), let name = file.bytes(place + 4, 4) {
      let chunk = String(decoding: name, as: UTF8.self)
      if chunk == "IDAT" || chunk == "IEND" { return }
      if ["tEXt", "zTXt", "iTXt", "iCCP", "eXIf"].contains(chunk) {
        if chunk.hasSuffix("Xt") { texts += 1 }
        bytes += length
        if chunk != "tEXt", chunk != "eXIf" {
          bytes += unpackedBytes(&file, from: place + 8, length, atMost: mostBytes + 1 - bytes)
        }
      }
      guard bytes <= mostBytes else {
        throw refusal("text and color profile decompress to more than \(mostBytes >> 20) MiB")
      }
      guard texts <= mostTexts else { throw refusal("text has more than \(mostTexts) chunks") }
      place += 12 + length
    }
    // What wasn't read wasn't checked either.
    try FileReading.check(file.failure, of: source)
  }

  private static func refusal(_ what: String) -> RenderError {
    RenderError(code: .tooMuchMemory, stage: .decode, message: "the PNG's \(what)")
  }

  /// How many bytes a chunk's compressed data unpack to, counted up to `limit`. The compressed
  /// data follow the chunk's names, whose number depends on its type.
  private static func unpackedBytes(
    _ file: inout FileBytes, from start: Int, _ length: Int, atMost limit: Int
  ) -> Int {
    // A keyword, its terminator and a compression method. An iTXt chunk also has a compression flag, a
    // language tag and a translated keyword.
    var place = start
    let end = start + length
    while place < end, let byte = file.byte(place), byte != 0 { place += 1 }
    place += 2
    if file.bytes(start - 4, 4)?.elementsEqual("iTXt".utf8) == true {
      guard file.byte(place - 1) == 1 else { return 0 }
      place += 1
      for _ in 0..<2 {
        while place < end, let byte = file.byte(place), byte != 0 { place += 1 }
        place += 1
      }
    }
    var counter = InflatedCount()
    while place < end, counter.count <= limit, !counter.isAtEnd {
      guard let piece = file.bytes(place, min(1 << 14, end - place)) else { break }
      counter.add(piece, atMost: limit)
      place += piece.count
    }
    return min(counter.count, limit)
  }
}

/// Counts the bytes that a zlib stream (RFC 1950) decompresses to, and discards them.
private struct InflatedCount: ~Copyable {
  private(set) var count = 0
  /// Whether the stream has ended or is invalid.
  private(set) var isAtEnd: Bool
  private let stream: UnsafeMutablePointer<z_stream>
  private var output = [UInt8](repeating: 0, count: 64 << 10)

  init() {
    stream = .allocate(capacity: 1)
    stream.initialize(to: z_stream())
    isAtEnd = inflateInit_(stream, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)) != Z_OK
  }

  deinit {
    inflateEnd(stream)
    stream.deallocate()
  }

  mutating func add(_ bytes: [UInt8], atMost limit: Int) {
    bytes.withUnsafeBufferPointer { input in
      // zlib only reads the input, but declares the pointer without const.
      stream.pointee.next_in = UnsafeMutablePointer(mutating: input.baseAddress)
      stream.pointee.avail_in = UInt32(input.count)
      while !isAtEnd, count <= limit {
        let (status, made) = output.withUnsafeMutableBufferPointer { room in
          stream.pointee.next_out = room.baseAddress
          stream.pointee.avail_out = UInt32(room.count)
          let status = inflate(stream, Z_NO_FLUSH)
          return (status, room.count - Int(stream.pointee.avail_out))
        }
        count += made
        if status != Z_OK { isAtEnd = status != Z_BUF_ERROR }
        if made < output.count { break }
      }
    }
    stream.pointee.next_in = nil
  }
}
