import Glibc
package import ImageCaches
import SystemIO
package import Vips

/// A rendition that was written for later runs.
package struct KeptRendition: Sendable, Hashable {
  /// The rendition's cache key.
  package var key: ContentDigest
  /// The file's path, one of ``RenditionPlan/files``.
  package var path: String
  /// The file's SHA-256.
  package var digest: ContentDigest
  /// The file's size in bytes.
  package var bytes: Int
  /// The seconds that computing it took.
  package var seconds: Double
}

/// Renditions as files in libvips' `.v` format, which holds every pixel type unchanged and is read by memory mapping.
/// ``RenditionMetadata`` is how it holds all metadata.
package enum RenditionFile {
  /// Writes a rendition's pixels to a file, through a file with the extension `.v` beside it.
  /// - Parameters:
  ///   - image: The rendition.
  ///   - path: The path of the file, which is replaced.
  /// - Throws: `VipsError` if computing a pixel or writing the file fails.
  package static func write(_ image: VipsImage, to path: String) throws(VipsError) {
    // libvips requires the extension.
    let named = path + ".v"
    defer { unlink(named) }
    try RenditionMetadata.packed(image).saveNative(to: named)
    guard rename(named, path) == 0 else {
      throw VipsError(operation: "vipssave", text: "can't rename \(named): \(SystemError.last.text)")
    }
  }

  /// Opens a file that ``write(_:to:)`` has written.
  ///
  /// The caller must have verified its digest: libvips treats the loader as unsafe for untrusted files.
  /// - Parameter path: The path of the file, which is mapped while the image lives.
  /// - Throws: `VipsError` if the file can't be opened or its header is invalid.
  package static func open(_ path: String) throws(VipsError) -> VipsImage {
    try RenditionMetadata.unpacked(VipsImage(native: path))
  }
}
