public import Vips

/// What can be read and written with the libvips that is installed.
public enum FormatSupport {
  /// Formats that are read without being asked for, by name.
  public static var readableByDefault: [String] {
    ImageFormat.allCases.filter { SourceFile.safe.contains($0) }.map(\.rawValue)
  }

  /// Formats that `--allow-format` lets in, by name.
  public static var readableOnRequest: [String] {
    ImageFormat.allCases.filter { !SourceFile.safe.contains($0) }.map(\.rawValue)
  }

  /// Whether the installed libvips has the operation that writes a format. Throws where libvips can't be started.
  public static func canWrite(_ format: OutputFormat) throws(VipsError) -> Bool {
    try VipsRuntime.hasOperation(Encoder.saver(of: format))
  }
}
