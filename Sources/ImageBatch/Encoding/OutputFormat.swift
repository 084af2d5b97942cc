/// The formats that outputs are written in.
public enum OutputFormat: String, CaseIterable, Sendable, Codable {
  case jpeg, png, webp, avif, heic, gif, tiff, jxl

  /// The extension that a file of the format is given, without the dot.
  public var pathExtension: String {
    switch self {
    case .jpeg: "jpg"
    case .tiff: "tif"
    default: rawValue
    }
  }
}
