import Glibc
public import ImageCaches
import SystemIO
import Vips

/// A rendition that was written for later runs.
public struct KeptRendition: Sendable, Hashable, Codable {
  /// Its key.
  public var key: ContentDigest
  /// The file, one of ``RenditionPlan/files``.
  public var path: String
  /// The file's SHA-256.
  public var digest: ContentDigest
  /// The file's size.
  public var bytes: Int
  /// In pixels.
  public var width: Int
  /// In pixels, of one frame.
  public var height: Int
  /// At least 1.
  public var frames: Int
  /// What making it took.
  public var seconds: Double
}

/// Renditions as files: libvips' own format, which holds every pixel type and every header field as they are, and
/// which is read by mapping it into memory.
enum RenditionFile {
  /// Writes the pixels and the header into the file at `path`.
  static func write(_ image: VipsImage, to path: String) throws(VipsError) {
    // libvips goes by the name's end.
    let named = path + ".v"
    defer { unlink(named) }
    _ = try VipsOperation("vipssave", ["in": .image(image), "filename": .string(named)])
    guard rename(named, path) == 0 else {
      throw VipsError(operation: "vipssave", text: "can't rename \(named): \(SystemError.last.text)")
    }
  }

  /// Opens a file that ``write(_:to:)`` has written and whose digest has been checked: libvips blocks
  /// this format for files from outside, since it describes memory.
  static func open(_ path: String) throws(VipsError) -> VipsImage {
    try VipsRuntime.setBlocked(false, operation: "VipsForeignLoadVips")
    return try VipsOperation("vipsload", ["filename": .string(path)]).image()
  }
}
