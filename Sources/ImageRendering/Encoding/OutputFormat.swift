/// A format that outputs can be written in.
public enum OutputFormat: String, CaseIterable, Sendable, Codable {
  /// The formats, by the names that options and reports use. The installed libvips may support fewer.
  case jpeg, png, webp, avif, heic, gif, tiff, jxl

  /// The format's usual file extension, without the dot.
  public var pathExtension: String {
    switch self {
    case .jpeg: "jpg"
    case .tiff: "tif"
    default: rawValue
    }
  }
}
