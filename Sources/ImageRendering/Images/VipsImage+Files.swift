public import struct FoundationEssentials.Data
public import struct FoundationEssentials.URL
import SystemIO
public import Vips

/// Files and data, like `UIImage(contentsOfFile:)` and `UIImage.pngData()`.
extension VipsImage {
  /// Reads an image file.
  ///
  ///     let photograph = try VipsImage(contentsOf: URL(filePath: "photo.jpg"))
  ///
  /// The image is decoded completely, upright and in sRGB: 3 bands, or 4 with alpha, of 8 or 16 bits. Its
  /// format is determined by its first bytes, never by its name.
  /// - Parameters:
  ///   - url: A `file:` URL.
  ///   - frames: The frames of an animation to read; several are stacked as pages. Default: the first one.
  ///   - limits: Limits that are checked before decoding, and formats to read besides the Web's.
  /// - Throws: `RenderError` if the file can't be read, is damaged or truncated, or exceeds a limit.
  public convenience init(
    contentsOf url: URL, frames: FrameSelection = .first, limits: RenderLimits = RenderLimits()
  ) throws(RenderError) {
    let path = try Self.path(of: url, .read)
    self.init(sharing: try ImageReader(limits: limits, frames: frames).image(at: path))
  }

  /// Reads an image from the bytes of a file, like ``init(contentsOf:frames:limits:)``.
  /// - Parameters:
  ///   - data: The whole file, which is written to a temporary file while it is decoded.
  ///   - frames: The frames of an animation to read; several are stacked as pages. Default: the first one.
  ///   - limits: Limits that are checked before decoding, and formats to read besides the Web's.
  /// - Throws: `RenderError` if the data is no image, is damaged or truncated, or exceeds a limit, or the
  ///   temporary file can't be written.
  public convenience init(
    data: Data, frames: FrameSelection = .first, limits: RenderLimits = RenderLimits()
  ) throws(RenderError) {
    // libvips would read the buffer lazily and need it as long as the image exists. A file also gets the same
    // checks as other sources.
    let directory = try TemporaryDirectory()
    defer { directory.remove() }
    let path = directory.path + "/image"
    do throws(SystemError) { try File.write(Array(data), to: path) } catch { throw .unwritable(path, error) }
    self.init(sharing: try ImageReader(limits: limits, frames: frames).image(at: path))
  }

  /// Writes the image to a file, completely or not at all. An existing file is replaced.
  ///
  ///     try avatar.write(to: URL(filePath: "avatar.webp"), as: .webp(quality: 80))
  /// - Parameters:
  ///   - url: A `file:` URL in an existing directory.
  ///   - encoding: The format and its options; nil for the format of the URL's path extension. Default: nil.
  /// - Throws: `RenderError` if the extension names no format, the format can't hold the image, or the file
  ///   can't be written.
  public func write(to url: URL, as encoding: Encoding? = nil) throws(RenderError) {
    let destination = try Self.path(of: url, .write)
    let chosen: Encoding
    if let encoding { chosen = encoding } else { chosen = try Self.encoding(for: url) }
    try ImageWriter(encoding: chosen).withFile(of: self) { (path) throws(RenderError) in
      do throws(AtomicFile.Failure) { try AtomicFile.copy(path, to: destination) } catch {
        throw .unwritable(error)
      }
    }
  }

  /// The image as a file's bytes.
  ///
  ///     let body = try avatar.data(as: .webp(quality: 80))
  /// - Parameter encoding: The format and its options. ``Encoding/followsSource`` isn't allowed.
  /// - Throws: `RenderError` if the format can't hold the image, an option is out of range, or a temporary
  ///   file can't be written.
  public func data(as encoding: Encoding) throws(RenderError) -> Data {
    try ImageWriter(encoding: encoding).withFile(of: self) { (path) throws(RenderError) in
      Data(try FileReading.contents(of: .path(path), atMost: .max))
    }
  }

  private static func path(of url: URL, _ stage: RenderError.Stage) throws(RenderError) -> String {
    guard url.isFileURL else {
      throw RenderError(
        code: stage == .read ? .unreadable : .writeFailed, stage: stage,
        message: "the URL's scheme '\(url.scheme ?? "")' isn't 'file'; download other URLs first")
    }
    return url.path(percentEncoded: false)
  }

  private static func encoding(for url: URL) throws(RenderError) -> Encoding {
    do throws(EncodingSettingsError) { return try Encoding(forPathExtension: url.pathExtension) } catch {
      throw RenderError(code: .badEncoding, stage: .encode, message: error.message)
    }
  }
}
