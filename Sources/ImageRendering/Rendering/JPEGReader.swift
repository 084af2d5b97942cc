import CJPEG
import ImageFilters
import Vips

/// Decodes a JPEG without metadata on the calling thread, with the pixels and fields of libvips' `jpegload`
/// (docs/decisions/jpeg-reader.md).
///
/// It reads only files without any fault. For all others, libvips decides what can be read, and says what is wrong.
final class JPEGReader {
  /// The longest file in bytes that is read whole. libvips maps longer ones.
  static let longestFile = 8 << 20
  /// The most bytes of pixels that are decoded at once. libvips streams larger images.
  static let largestImage = 16 << 20

  private let bytes: [UInt8]
  private let header: cjpeg_header

  /// Whether a file whose first bytes these are may be one without metadata, so that it is worth reading whole. Most
  /// photographs have metadata in their first segments (ITU-T T.81, annex B).
  static func mayRead(_ head: [UInt8]) -> Bool {
    var place = 2
    while place + 3 < head.count, head[place] == 0xFF {
      switch head[place + 1] {
      // APP1, APP2, APP13.
      case 0xE1, 0xE2, 0xED: return false
      // The start of a scan ends the header.
      case 0xDA: return true
      default: place += 2 + Int(head[place + 2]) << 8 + Int(head[place + 3])
      }
    }
    return true
  }

  /// - Parameter bytes: The whole file.
  /// - Returns: nil if libvips must read the file: it has metadata, another color space, or a fault in its header.
  init?(_ bytes: [UInt8]) {
    var header = cjpeg_header()
    let isRead = bytes.withUnsafeBufferPointer { bytes in
      guard let reader = cjpeg_open(bytes.baseAddress, bytes.count, &header) else { return false }
      cjpeg_close(reader)
      return true
    }
    // libvips warns of an unknown unit.
    guard isRead, !header.has_metadata, header.density_unit <= 2 else { return nil }
    self.bytes = bytes
    self.header = header
  }

  /// The image's size in pixels.
  var size: Size { Size(width: Int(header.width), height: Int(header.height)) }
  /// 1 for gray, 3 for RGB.
  var bands: Int { Int(header.bands) }
  /// Whether the decoder holds all coefficients, as of a progressive file.
  var hasScans: Bool { header.has_scans }

  /// Decodes the image.
  /// - Parameter shrink: The divisor of the sides: 1, 2, 4 or 8. They are rounded down.
  /// - Returns: nil if libvips must decode it: the image is too large, or has a fault.
  /// - Throws: `VipsError` if memory is exhausted.
  func image(shrink: Int) throws(VipsError) -> VipsImage? {
    let (width, height) = (Int(header.width) / shrink, Int(header.height) / shrink)
    guard width > 0, height > 0, width * height * Int(header.bands) <= Self.largestImage else { return nil }
    var isWhole = false
    let image = try VipsImage(
      width: width, height: height, isGray: header.bands == 1, resolution: resolution,
      edit: setMetadata
    ) { rows in
      isWhole = bytes.withUnsafeBufferPointer { bytes in
        var header = cjpeg_header()
        guard let reader = cjpeg_open(bytes.baseAddress, bytes.count, &header) else { return false }
        defer { cjpeg_close(reader) }
        return cjpeg_decode(reader, Int32(shrink), rows.start, rows.stride)
      }
    }
    return isWhole ? image : nil
  }

  // MARK: What libvips tells of a file

  private var hasResolution: Bool {
    header.has_density && header.density_x != 1 && header.density_y != 1
  }

  /// Pixels per millimeter. Without a density, libvips takes 72 pixels per inch, as EXIF does.
  private var resolution: (x: Double, y: Double) {
    let (x, y) = (Double(header.density_x), Double(header.density_y))
    let usual = 72 / 25.4
    guard hasResolution else { return (usual, usual) }
    return switch header.density_unit {
    case 1: (x / 25.4, y / 25.4)
    case 2: (x / 10, y / 10)
    // The shape of the pixels.
    default: (usual, y > 0 ? usual * x / y : usual)
    }
  }

  private func setMetadata(_ editor: borrowing MetadataEditor) {
    if hasResolution, header.density_unit > 0 {
      editor.set("resolution-unit", header.density_unit == 1 ? "in" : "cm")
    }
    editor.set("jpeg-multiscan", header.has_scans ? 1 : 0)
    if header.has_scans { editor.set("interlaced", 1) }
    editor.set("jpeg-chroma-subsample", header.is_subsampled ? "4:2:0" : "4:4:4")
    editor.set("vips-loader", "jpegload")
  }
}
