/// The formats that outputs are written in.
public enum OutputFormat: String, CaseIterable, Sendable, Codable {
  case jpeg, png, webp, avif, heic, gif, tiff, jxl
}
