import CVips

/// An image, or a pipeline that produces one. libvips computes pixels only when they are read.
///
/// An animation or a document of several pages is one tall image of stacked pages, each `pageHeight` pixels high.
///
/// `@unchecked Sendable` is sound because a `VipsImage` never changes once it is built, libvips lets any thread read
/// it, and GObject counts references atomically.
public final class VipsImage: @unchecked Sendable {
  let pointer: UnsafeMutablePointer<CVips.VipsImage>

  /// Takes ownership of a reference.
  init(consuming pointer: UnsafeMutablePointer<CVips.VipsImage>) {
    self.pointer = pointer
  }

  deinit { g_object_unref(pointer) }

  /// The width in pixels, at least 1.
  public var width: Int { Int(vips_image_get_width(pointer)) }
  /// The height in pixels, of all pages together.
  public var height: Int { Int(vips_image_get_height(pointer)) }
  /// The number of bands, including alpha.
  public var bands: Int { Int(vips_image_get_bands(pointer)) }
  /// The type of each band's samples.
  public var format: BandFormat { BandFormat(vips_image_get_format(pointer)) }
  /// The color space that the bands are in, such as ``Interpretation/sRGB``.
  public var interpretation: Interpretation { Interpretation(vips_image_get_interpretation(pointer)) }
  /// Whether the last band is alpha, which follows from the interpretation and the number of bands.
  public var hasAlpha: Bool { vips_image_hasalpha(pointer) != 0 }

  /// The height of one page in pixels; the whole height if the image has no pages, or if it isn't a multiple of theirs.
  public var pageHeight: Int { Int(vips_image_get_page_height(pointer)) }
  /// The number of pages, at least 1.
  public var pageCount: Int { max(1, height / max(1, pageHeight)) }
}

/// The type of an image's samples (libvips `VipsBandFormat`).
public enum BandFormat: String, Sendable, Hashable, Codable {
  /// Integers of 8, 16 and 32 bits, without (`u`) and with sign; floating-point and complex numbers in single
  /// and double precision. `notset` is libvips' value for an image without pixels.
  case uchar, char, ushort, short, uint, int, float, complex, double, dpcomplex, notset

  init(_ format: VipsBandFormat) {
    self =
      switch format {
      case VIPS_FORMAT_UCHAR: .uchar
      case VIPS_FORMAT_CHAR: .char
      case VIPS_FORMAT_USHORT: .ushort
      case VIPS_FORMAT_SHORT: .short
      case VIPS_FORMAT_UINT: .uint
      case VIPS_FORMAT_INT: .int
      case VIPS_FORMAT_FLOAT: .float
      case VIPS_FORMAT_COMPLEX: .complex
      case VIPS_FORMAT_DOUBLE: .double
      case VIPS_FORMAT_DPCOMPLEX: .dpcomplex
      default: .notset
      }
  }

  var native: VipsBandFormat {
    switch self {
    case .uchar: VIPS_FORMAT_UCHAR
    case .char: VIPS_FORMAT_CHAR
    case .ushort: VIPS_FORMAT_USHORT
    case .short: VIPS_FORMAT_SHORT
    case .uint: VIPS_FORMAT_UINT
    case .int: VIPS_FORMAT_INT
    case .float: VIPS_FORMAT_FLOAT
    case .complex: VIPS_FORMAT_COMPLEX
    case .double: VIPS_FORMAT_DOUBLE
    case .dpcomplex: VIPS_FORMAT_DPCOMPLEX
    case .notset: VIPS_FORMAT_NOTSET
    }
  }

  /// The size of one sample in bytes.
  public var bytes: Int { Int(vips_format_sizeof(native)) }
}

/// The meaning of an image's bands, by libvips' nicknames (`srgb`, `rgb16`, `b-w`, `cmyk`, `lab` …).
public struct Interpretation: RawRepresentable, Hashable, Sendable, Codable {
  /// libvips' nickname, such as `srgb`.
  public let rawValue: String

  /// Creates an interpretation from libvips' nickname. An unknown nickname fails when an operation uses it.
  public init(rawValue: String) { self.rawValue = rawValue }

  init(_ interpretation: VipsInterpretation) {
    let nick = vips_enum_nick(vips_interpretation_get_type(), Int32(interpretation.rawValue))
    rawValue = nick.map { String(cString: $0) } ?? "multiband"
  }

  /// sRGB, three bands of 8 bits.
  public static let sRGB = Interpretation(rawValue: "srgb")
  /// sRGB, three bands of 16 bits.
  public static let rgb16 = Interpretation(rawValue: "rgb16")
  /// Gray with the sRGB curve, one band of 8 bits.
  public static let gray = Interpretation(rawValue: "b-w")
  /// Gray with the sRGB curve, one band of 16 bits.
  public static let gray16 = Interpretation(rawValue: "grey16")
  /// Linear light with sRGB primaries, 0 to 1, three float bands.
  public static let linear = Interpretation(rawValue: "scrgb")
  /// CMYK, four bands of 8 or 16 bits.
  public static let cmyk = Interpretation(rawValue: "cmyk")
}
