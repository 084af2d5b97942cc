import CVips

/// A picture, or a pipeline that will make one: libvips computes pixels only when something asks for them.
///
/// An animation or a document of several pages is one tall image; `pageHeight` says where it is cut.
///
/// A `VipsImage` never changes once it is built and libvips lets any thread read such an image, which is
/// why it is `Sendable`; the reference that it holds is counted atomically.
public final class VipsImage: @unchecked Sendable {
  let pointer: UnsafeMutablePointer<CVips.VipsImage>

  /// Takes over a reference.
  init(consuming pointer: UnsafeMutablePointer<CVips.VipsImage>) {
    self.pointer = pointer
  }

  deinit { g_object_unref(pointer) }

  /// In pixels.
  public var width: Int { Int(vips_image_get_width(pointer)) }
  /// In pixels, of all pages together.
  public var height: Int { Int(vips_image_get_height(pointer)) }
  /// Numbers in each pixel, the alpha among them.
  public var bands: Int { Int(vips_image_get_bands(pointer)) }
  /// The numbers' type.
  public var format: BandFormat { BandFormat(vips_image_get_format(pointer)) }
  /// What the numbers mean, as libvips names it.
  public var interpretation: Interpretation { Interpretation(vips_image_get_interpretation(pointer)) }
  /// Whether the last band is an alpha: a matter of the interpretation and the number of bands.
  public var hasAlpha: Bool { vips_image_hasalpha(pointer) != 0 }

  /// The height of one page, in pixels: the whole height where the picture has no pages or they don't fit it.
  public var pageHeight: Int { Int(vips_image_get_page_height(pointer)) }
  /// How many pages `pageHeight` cuts the picture into.
  public var pageCount: Int { max(1, height / max(1, pageHeight)) }
}

/// The type of the numbers in a picture.
public enum BandFormat: String, Sendable, Hashable, Codable {
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

  /// The size of one number, in bytes.
  public var bytes: Int { Int(vips_format_sizeof(native)) }
}

/// What a picture's numbers mean: libvips' nicknames (`srgb`, `rgb16`, `b-w`, `cmyk`, `lab` …).
public struct Interpretation: RawRepresentable, Hashable, Sendable, Codable {
  /// libvips' nickname.
  public let rawValue: String

  /// The interpretation of that nickname.
  public init(rawValue: String) { self.rawValue = rawValue }

  init(_ interpretation: VipsInterpretation) {
    let nick = vips_enum_nick(vips_interpretation_get_type(), Int32(interpretation.rawValue))
    rawValue = nick.map { String(cString: $0) } ?? "multiband"
  }

  /// Three bands of 8 bits in sRGB.
  public static let sRGB = Interpretation(rawValue: "srgb")
  /// Three bands of 16 bits in sRGB.
  public static let rgb16 = Interpretation(rawValue: "rgb16")
  /// One band of 8 bits, light to sRGB's curve.
  public static let gray = Interpretation(rawValue: "b-w")
  /// One band of 16 bits.
  public static let gray16 = Interpretation(rawValue: "grey16")
  /// Linear light, sRGB's primaries, 0 to 1.
  public static let linear = Interpretation(rawValue: "scrgb")
  /// Four bands of ink.
  public static let cmyk = Interpretation(rawValue: "cmyk")
}
