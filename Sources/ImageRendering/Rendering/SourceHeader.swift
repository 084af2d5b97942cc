package import SystemIO
import Vips

extension SourceFacts {
  /// Reads an image file's header without libvips.
  ///
  /// Good enough to estimate memory; the decoder doesn't rely on it. Nil if the file can't be read, or its
  /// format or header isn't supported.
  /// - Parameter place: A JPEG, PNG, GIF, WebP, TIFF, HEIC or AVIF file.
  package init?(headerOf place: FilePlace) {
    guard let facts = SourceHeader.facts(of: place) else { return nil }
    self = facts
  }

  /// Reads the header of the file at a path.
  package init?(headerOf path: String) { self.init(headerOf: .path(path)) }
}

/// Parsers of image headers.
package enum SourceHeader {
  /// Accepted sides in pixels. libvips' limit, which also keeps the product of two four-byte sides from overflowing.
  private static let sides = 1...100_000_000

  /// Frames aren't counted further: no limit allows so many.
  private static let mostFrames = 1_000_000

  package static func facts(of place: FilePlace) -> SourceFacts? {
    // Rendering reports an unreadable file.
    guard var file = try? FileBytes(place), let head = file.bytes(0, min(4096, file.count)),
      let format = ImageFormat(signature: head)
    else { return nil }
    let fields: Fields? =
      switch format {
      case .jpeg: jpeg(&file)
      case .png: png(&file)
      case .gif: gif(place, &file)
      case .webp: webP(&file)
      case .tiff: tiff(&file, at: 0)
      case .heic, .avif: heif(&file)
      default: nil
      }
    guard let fields, sides.contains(fields.width), sides.contains(fields.height) else { return nil }
    let isTurned = fields.orientation >= 5
    var facts = SourceFacts(
      format: format.rawValue, width: isTurned ? fields.height : fields.width,
      height: isTurned ? fields.width : fields.height, frames: max(1, fields.frames),
      orientation: fields.orientation, hasAlpha: fields.hasAlpha)
    facts.bands = fields.bands
    facts.bitsPerSample = fields.bits
    facts.isProgressive = fields.isProgressive
    return facts
  }

  /// The fields that the formats' headers have in common. Width and height are those of the stored pixels.
  package struct Fields {
    var width = 0
    var height = 0
    var frames = 1
    var orientation = 1
    var bands = 3
    var bits = 8
    var hasAlpha = false
    var isProgressive = false
  }

  /// ITU-T T.81, annex B: reads segments up to the start of frame.
  private static func jpeg(_ file: inout FileBytes) -> Fields? {
    var fields = Fields()
    var place = 2
    while let mark = file.byte(place), mark == 0xFF, let kind = file.byte(place + 1) {
      if kind == 0xFF {
        place += 1
        continue
      }
      guard let length = file.number(place + 2, 2, littleEndian: false), length >= 2 else { return nil }
      switch kind {
      case 0xE1:
        if file.bytes(place + 4, 6) == Array("Exif\0\0".utf8), let exif = tiff(&file, at: place + 10) {
          fields.orientation = exif.orientation
        }
      case 0xC0...0xC3, 0xC5...0xC7, 0xC9...0xCB, 0xCD...0xCF:
        guard let bits = file.byte(place + 4), let height = file.number(place + 5, 2, littleEndian: false),
          let width = file.number(place + 7, 2, littleEndian: false), let bands = file.byte(place + 9)
        else { return nil }
        fields.isProgressive = [0xC2, 0xC6, 0xCA, 0xCE].contains(kind)
        (fields.width, fields.height, fields.bands, fields.bits) = (width, height, Int(bands), Int(bits))
        return fields
      default: break
      }
      place += 2 + length
    }
    return nil
  }

  /// ISO/IEC 15948: reads the IHDR chunk and looks for a tRNS chunk before the pixels.
  private static func png(_ file: inout FileBytes) -> Fields? {
    guard let width = file.number(16, 4, littleEndian: false),
      let height = file.number(20, 4, littleEndian: false),
      let bits = file.byte(24), let kind = file.byte(25), let interlacing = file.byte(28)
    else { return nil }
    var fields = Fields(width: width, height: height)
    fields.bits = bits == 16 ? 16 : 8
    fields.isProgressive = interlacing != 0
    fields.hasAlpha = kind == 4 || kind == 6
    var place = 33
    while !fields.hasAlpha, let length = file.number(place, 4, littleEndian: false),
      let name = file.bytes(place + 4, 4), !name.elementsEqual("IDAT".utf8)
    {
      fields.hasAlpha = name.elementsEqual("tRNS".utf8)
      place += 12 + length
    }
    fields.bands = (kind == 0 || kind == 4 ? 1 : 3) + (fields.hasAlpha ? 1 : 0)
    return fields
  }

  private static func gif(_ place: FilePlace, _ file: inout FileBytes) -> Fields? {
    guard let width = file.number(6, 2, littleEndian: true),
      let height = file.number(8, 2, littleEndian: true),
      let whole = try? FileBytes(place)
    else { return nil }
    var blocks = GIFBlocks(whole)
    var fields = Fields(width: width, height: height, bands: 4, hasAlpha: true)
    fields.frames = blocks.walk(countingPixels: false).frames
    return fields
  }

  /// RFC 9649: reads the first chunk, which is VP8, VP8L or VP8X.
  private static func webP(_ file: inout FileBytes) -> Fields? {
    guard let name = file.bytes(12, 4) else { return nil }
    var fields = Fields()
    switch String(decoding: name, as: UTF8.self) {
    case "VP8 ":
      guard let width = file.number(26, 2, littleEndian: true),
        let height = file.number(28, 2, littleEndian: true)
      else { return nil }
      (fields.width, fields.height) = (width & 0x3FFF, height & 0x3FFF)
    case "VP8L":
      guard let bits = file.number(21, 4, littleEndian: true) else { return nil }
      (fields.width, fields.height) = (bits & 0x3FFF + 1, bits >> 14 & 0x3FFF + 1)
      fields.hasAlpha = bits >> 28 & 1 == 1
    case "VP8X":
      guard let flags = file.byte(20), let width = file.number(24, 3, littleEndian: true),
        let height = file.number(27, 3, littleEndian: true)
      else { return nil }
      (fields.width, fields.height) = (width + 1, height + 1)
      fields.hasAlpha = flags & 0x10 != 0
      if flags & 2 != 0 {
        fields.frames = 0
        var place = 12
        while fields.frames < mostFrames, let name = file.bytes(place, 4),
          let length = file.number(place + 4, 4, littleEndian: true)
        {
          if name.elementsEqual("ANMF".utf8) { fields.frames += 1 }
          place += 8 + length + length % 2
        }
      }
    default: return nil
    }
    fields.bands = fields.hasAlpha ? 4 : 3
    return fields
  }

  /// TIFF 6.0, and EXIF, which has the same form: reads the first directory.
  private static func tiff(_ file: inout FileBytes, at start: Int) -> Fields? {
    guard let order = file.bytes(start, 2) else { return nil }
    let little = order.elementsEqual("II".utf8)
    guard little || order.elementsEqual("MM".utf8), file.number(start + 2, 2, littleEndian: little) == 42,
      let offset = file.number(start + 4, 4, littleEndian: little),
      let count = file.number(start + offset, 2, littleEndian: little)
    else { return nil }
    var fields = Fields(bands: 1)
    for index in 0..<min(count, 500) {
      let entry = start + offset + 2 + 12 * index
      guard let tag = file.number(entry, 2, littleEndian: little),
        let type = file.number(entry + 2, 2, littleEndian: little),
        let values = file.number(entry + 4, 4, littleEndian: little)
      else { return nil }
      let size = type == 3 ? 2 : 4
      // More than four bytes of values are stored at an offset, such as bits per sample.
      let place =
        values * size > 4 ? file.number(entry + 8, 4, littleEndian: little).map { start + $0 } : entry + 8
      guard [256, 257, 258, 274, 277].contains(tag), let place,
        let value = file.number(place, size, littleEndian: little)
      else { continue }
      switch tag {
      case 256: fields.width = value
      case 257: fields.height = value
      case 258: fields.bits = value
      case 274: fields.orientation = (1...8).contains(value) ? value : 1
      default: fields.bands = value
      }
    }
    fields.hasAlpha = fields.bands == 2 || fields.bands == 4
    return fields
  }

  /// ISO/IEC 23008-12: takes the largest `ispe` extent in the first 64 KiB.
  private static func heif(_ file: inout FileBytes) -> Fields? {
    guard let head = file.bytes(0, min(1 << 16, file.count)) else { return nil }
    var fields = Fields()
    let name = Array("ispe".utf8)
    for place in head.indices.dropLast(16)
    where head[place] == name[0] && head[place..<place + 4].elementsEqual(name) {
      guard let width = file.number(place + 8, 4, littleEndian: false),
        let height = file.number(place + 12, 4, littleEndian: false), sides.contains(width),
        sides.contains(height)
      else { continue }
      if width * height > fields.width * fields.height { (fields.width, fields.height) = (width, height) }
    }
    fields.hasAlpha = true
    fields.bands = 4
    return fields
  }
}
