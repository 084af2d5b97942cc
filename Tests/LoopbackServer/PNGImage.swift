/// PNG files made without any codec, for tests: stored deflate blocks, so that what a decoder reads is what was meant.
public enum PNGImage {
  /// An image of smooth colors that differ by `seed`.
  /// - Parameter alpha: whether it has a fourth channel, opaque but for every seventh pixel.
  public static func bytes(width: Int, height: Int, seed: Int = 0, alpha: Bool = false) -> [UInt8] {
    bytes(width: width, height: height, channels: alpha ? 4 : 3) { x, y in
      var pixel: [UInt8] = [
        UInt8(truncatingIfNeeded: 40 + seed &* 53 + x * 100 / width),
        UInt8(truncatingIfNeeded: 80 + seed &* 29 + y * 100 / height),
        UInt8(truncatingIfNeeded: 120 + seed &* 17 + (x + y) * 60 / (width + height)),
      ]
      if alpha { pixel.append((x + y) % 7 == 0 ? 128 : 255) }
      return pixel
    }
  }

  /// An image whose pixels `pixel` gives: 1, 3 or 4 channels of 8 bits.
  public static func bytes(
    width: Int, height: Int, channels: Int, pixel: (_ x: Int, _ y: Int) -> [UInt8]
  ) -> [UInt8] {
    var rows: [UInt8] = []
    rows.reserveCapacity(height * (width * channels + 1))
    for y in 0..<height {
      rows.append(0)
      for x in 0..<width { rows += pixel(x, y) }
    }
    let colorType: UInt8 = channels == 1 ? 0 : channels == 3 ? 2 : 6
    let header = bigEndian(UInt32(width)) + bigEndian(UInt32(height)) + [8, colorType, 0, 0, 0]
    return [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a] + chunk("IHDR", header)
      + chunk("IDAT", deflated(rows)) + chunk("IEND", [])
  }

  /// The width and height that a PNG file's header says; nil where it is none.
  public static func size(of bytes: some Collection<UInt8>) -> (width: Int, height: Int)? {
    let head = Array(bytes.prefix(24))
    guard head.count == 24, head.starts(with: [0x89, 0x50, 0x4e, 0x47]) else { return nil }
    func number(at offset: Int) -> Int { head[offset..<(offset + 4)].reduce(0) { $0 << 8 | Int($1) } }
    return (number(at: 16), number(at: 20))
  }

  private static func chunk(_ type: String, _ data: [UInt8]) -> [UInt8] {
    let body = Array(type.utf8) + data
    return bigEndian(UInt32(data.count)) + body + bigEndian(checksum(body))
  }

  private static func deflated(_ data: [UInt8]) -> [UInt8] {
    var result: [UInt8] = [0x78, 0x01]
    var start = 0
    repeat {
      let end = min(start + 65535, data.count)
      let count = UInt16(end - start)
      result.append(end == data.count ? 1 : 0)
      result += [UInt8(count & 255), UInt8(count >> 8), UInt8(~count & 255), UInt8(~count >> 8)]
      result += data[start..<end]
      start = end
    } while start < data.count
    var (a, b): (UInt32, UInt32) = (1, 0)
    for byte in data {
      a = (a + UInt32(byte)) % 65521
      b = (b + a) % 65521
    }
    return result + bigEndian(b << 16 | a)
  }

  private static func checksum(_ data: [UInt8]) -> UInt32 {
    ~data.reduce(UInt32.max) { crc, byte in table[Int((crc ^ UInt32(byte)) & 255)] ^ crc >> 8 }
  }

  private static let table: [UInt32] = (0..<256).map { number in
    (0..<8).reduce(UInt32(number)) { value, _ in value & 1 == 1 ? 0xedb8_8320 ^ value >> 1 : value >> 1 }
  }

  private static func bigEndian(_ value: UInt32) -> [UInt8] {
    [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) }
  }
}
