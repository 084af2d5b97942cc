import Glibc
public import ImageCaches
import SystemIO
package import Vips

/// A rendition that was written for later runs.
public struct KeptRendition: Sendable, Hashable, Codable {
  /// The rendition's cache key.
  public var key: ContentDigest
  /// The file's path, one of ``RenditionPlan/files``.
  public var path: String
  /// The file's SHA-256.
  public var digest: ContentDigest
  /// The file's size in bytes.
  public var bytes: Int
  /// The width in pixels.
  public var width: Int
  /// The height of one frame in pixels.
  public var height: Int
  /// The number of frames, from 1.
  public var frames: Int
  /// The seconds that computing it took.
  public var seconds: Double
}

/// Renditions as files in libvips' `.v` format, which holds every pixel type and header field unchanged and is read
/// by memory mapping.
package enum RenditionFile {
  package static func write(_ image: VipsImage, to path: String) throws(VipsError) {
    // libvips requires the extension.
    let named = path + ".v"
    defer { unlink(named) }
    _ = try VipsOperation("vipssave", ["in": .image(image), "filename": .string(named)])
    guard rename(named, path) == 0 else {
      throw VipsError(operation: "vipssave", text: "can't rename \(named): \(SystemError.last.text)")
    }
  }

  /// Opens a file that ``write(_:to:)`` has written. The caller must have verified its digest: libvips treats the
  /// loader as unsafe for untrusted files.
  package static func open(_ path: String) throws(VipsError) -> VipsImage {
    try VipsRuntime.setBlocked(false, operation: "VipsForeignLoadVips")
    return try VipsOperation("vipsload", ["filename": .string(path)]).image()
  }
}
