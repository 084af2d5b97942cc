public import Vips

/// Media types of image sources (RFC 9110 §8.3.1).
public enum ContentTypes {
  /// The types of the formats that are read by default, and `application/octet-stream`, which servers send for unknown
  /// types.
  public static let images = Set(ImageFormat.readByDefault.flatMap(types)).union([unspecific])

  static let unspecific = "application/octet-stream"

  /// The media types of a format, in lower case: IANA's first, then others in use.
  /// - Parameter format: The format.
  /// - Returns: At least one type.
  public static func types(of format: ImageFormat) -> [String] {
    switch format {
    case .jpeg: ["image/jpeg", "image/jpg", "image/pjpeg"]
    case .png: ["image/png", "image/x-png"]
    case .webp: ["image/webp"]
    case .gif: ["image/gif"]
    case .tiff: ["image/tiff", "image/tif", "image/x-tiff"]
    case .heic: ["image/heic", "image/heif", "image/heic-sequence", "image/heif-sequence"]
    case .avif: ["image/avif", "image/avif-sequence"]
    case .bmp: ["image/bmp", "image/x-bmp", "image/x-ms-bmp", "image/x-win-bitmap"]
    case .ico: ["image/vnd.microsoft.icon", "image/ico", "image/x-icon"]
    case .xbm: ["image/x-xbitmap", "image/x-xbm"]
    case .svg: ["image/svg+xml", "image/svg"]
    case .pdf: ["application/pdf"]
    case .jxl: ["image/jxl"]
    case .jp2k: ["image/jp2", "image/jpx", "image/j2c"]
    case .ppm:
      [
        "image/x-portable-anymap", "image/x-portable-bitmap", "image/x-portable-graymap",
        "image/x-portable-pixmap", "image/x-portable-floatmap",
      ]
    case .exr: ["image/x-exr", "image/aces"]
    case .hdr: ["image/vnd.radiance", "image/x-hdr"]
    case .fits: ["image/fits", "application/fits"]
    case .psd: ["image/vnd.adobe.photoshop", "image/x-psd", "application/x-photoshop"]
    }
  }

  /// Whether a text is a type and subtype without parameters (RFC 9110 §8.3.1).
  /// - Parameter text: The text, such as `image/png`.
  public static func isType(_ text: String) -> Bool {
    let parts = text.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
    return parts.count == 2 && parts.allSatisfy { !$0.isEmpty && $0.allSatisfy(isTokenByte) }
  }

  private static func isTokenByte(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "a")...UInt8(ascii: "z"):
      true
    default: "!#$%&'+-.^_`|~".utf8.contains(byte)
    }
  }

  /// The type and subtype of a `Content-Type` field in lower case, without parameters.
  static func essence(_ field: String) -> String {
    FieldList.trimmed(field.prefix { $0 != ";" }).lowercased()
  }
}
