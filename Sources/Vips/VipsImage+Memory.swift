import CVips
import Glibc
import SystemIO

extension VipsImage {
  /// Creates an image from a copy of pixels in memory.
  ///
  /// Rows are ordered from top to bottom and pixels from left to right, with interleaved bands in native byte
  /// order.
  /// - Parameters:
  ///   - bytes: The samples: width × height × bands × the format's size in bytes.
  ///   - width: The width in pixels.
  ///   - height: The height in pixels.
  ///   - bands: The number of bands, including alpha.
  ///   - format: The type of the samples. Default: `uchar`.
  ///   - interpretation: The meaning of the bands; nil for libvips' guess from their number. Default: nil.
  /// - Throws: `VipsError` if the number of bytes doesn't match the other arguments, or libvips can't be
  ///   started.
  public convenience init(
    pixels bytes: [UInt8], width: Int, height: Int, bands: Int, format: BandFormat = .uchar,
    interpretation: Interpretation? = nil
  ) throws(VipsError) {
    try VipsRuntime.start()
    let (row, rowOverflows) = width.multipliedReportingOverflow(by: bands * format.bytes)
    let (size, overflows) = row.multipliedReportingOverflow(by: height)
    guard width > 0, height > 0, bands > 0, !rowOverflows, !overflows, size == bytes.count else {
      throw VipsError(
        operation: "memory",
        text:
          "\(bytes.count) bytes don't match a \(width)x\(height) image with \(bands) bands of \(format.rawValue)"
      )
    }
    let pointer = try VipsErrorLock.capturingError("memory") {
      bytes.withUnsafeBytes {
        vips_image_new_from_memory_copy(
          $0.baseAddress, $0.count, Int32(width), Int32(height), Int32(bands), format.native)
      }
    }
    guard let interpretation else {
      self.init(consuming: pointer)
      return
    }
    let plain = VipsImage(consuming: pointer)
    self.init(
      consuming: try plain.copied(["interpretation": .nick(interpretation.rawValue)]).takingReference())
  }

  /// Creates another reference to the image that `other` refers to.
  package convenience init(sharing other: VipsImage) { self.init(consuming: other.takingReference()) }

  /// Computes all pixels, of all pages.
  /// - Returns: The samples: rows from top to bottom, pixels from left to right, with interleaved bands.
  /// - Throws: `VipsError` if an operation in the pipeline fails.
  public func pixels() throws(VipsError) -> [UInt8] {
    var count = 0
    let memory = try VipsErrorLock.capturingError("memory") { vips_image_write_to_memory(pointer, &count) }
    defer { g_free(memory) }
    return Array(UnsafeRawBufferPointer(start: memory, count: count))
  }

  /// Computes all pixels and keeps them in memory, so that reading the result again computes nothing.
  /// - Throws: `VipsError` if an operation in the pipeline fails.
  public func materialized() throws(VipsError) -> VipsImage {
    VipsImage(consuming: try VipsErrorLock.capturingError("copy") { vips_image_copy_memory(pointer) })
  }

  /// Whether the pixels are in memory or in a memory-mapped file, so that reading them computes nothing.
  public var isAtHand: Bool {
    switch pointer.pointee.dtype {
    case VIPS_IMAGE_SETBUF, VIPS_IMAGE_SETBUF_FOREIGN, VIPS_IMAGE_MMAPIN, VIPS_IMAGE_MMAPINRW,
      VIPS_IMAGE_OPENIN:
      true
    default: false
    }
  }

  /// Computes all pixels and keeps them in a file, which is deleted with the image.
  /// - Parameter directory: The directory for the file. The file is unlinked once it is open, so that a process that
  ///   crashes leaves nothing behind.
  /// - Throws: `VipsError` if the file can't be created or written, or an operation in the pipeline fails.
  package func stored(inDirectory directory: String) throws(VipsError) -> VipsImage {
    // The extension `.v` selects libvips' native format.
    let path: String
    do throws(SystemError) {
      let file = try TemporaryName.makeFile("\(directory)/imagemill-", suffix: ".v")
      close(file.descriptor)
      path = file.path
    } catch {
      throw VipsError(
        operation: "vipssave", text: "can't create a file for pixels in \(directory): \(error.text)",
        isCertain: true)
    }
    defer { unlink(path) }
    try saveNative(to: path)
    return try VipsImage(native: path)
  }

  /// The size of all pixels in bytes, which is what `materialized()` allocates.
  public var pixelBytes: Int { width * height * bands * format.bytes }

  /// The C object with an additional reference, which the caller owns.
  func takingReference() -> UnsafeMutablePointer<CVips.VipsImage> {
    g_object_ref(pointer)
    return pointer
  }

  /// The same image with a resolution that libvips' native format holds: it stores single precision.
  /// - Throws: `VipsError` if copying the image's header fails.
  package func roundingResolution() throws(VipsError) -> VipsImage {
    let (x, y) = (pointer.pointee.Xres, pointer.pointee.Yres)
    let (roundedX, roundedY) = (Double(Float(x)), Double(Float(y)))
    // A hostile header's resolution may be no number or beyond single precision; such a field can't be set.
    guard x != roundedX || y != roundedY, roundedX.isFinite, roundedY.isFinite else { return self }
    return try copied(["xres": .double(roundedX), "yres": .double(roundedY)])
  }

  /// The same pixels with the resolution of another image.
  /// - Throws: `VipsError` if the other image's resolution is no number.
  package func withResolution(of other: VipsImage) throws(VipsError) -> VipsImage {
    let (x, y) = (other.pointer.pointee.Xres, other.pointer.pointee.Yres)
    guard x != pointer.pointee.Xres || y != pointer.pointee.Yres else { return self }
    return try copied(["xres": .double(x), "yres": .double(y)])
  }

  /// The same pixels with other header fields, such as `xres` or `interpretation` (libvips `copy`).
  /// - Parameter fields: The arguments of `copy` to set. Default: none.
  /// - Throws: `VipsError` if a field doesn't exist or doesn't accept its value.
  public func copied(_ fields: VipsArguments = [:]) throws(VipsError) -> VipsImage {
    let arguments: VipsArguments = ["in": .image(self)]
    return try VipsOperation.image("copy", arguments.merging(fields))
  }
}
