public import Vips

/// The formats that can be read, and those that the installed libvips can write.
public enum FormatSupport {
  /// Names of formats that are read by default.
  public static var readableByDefault: [String] {
    ImageFormat.allCases.filter { ImageFormat.readByDefault.contains($0) }.map(\.rawValue)
  }

  /// Names of formats that are only read if ``RenderLimits/allowedFormats`` has them.
  public static var readableOnRequest: [String] {
    ImageFormat.allCases.filter { !ImageFormat.readByDefault.contains($0) }.map(\.rawValue)
  }

  /// Whether the installed libvips can write a format.
  /// - Parameter format: The format.
  /// - Throws: `VipsError` if libvips can't be loaded or started.
  public static func canWrite(_ format: OutputFormat) throws(VipsError) -> Bool {
    try VipsRuntime.hasOperation(ImageEncoder.saver(of: format))
  }
}
