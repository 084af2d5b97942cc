import CVips
import Glibc
import SystemIO

extension VipsImage {
  /// A picture of pixels in memory, which are copied: rows from the top, pixels from the left, bands
  /// side by side, in the machine's byte order.
  /// - Parameters:
  ///   - bytes: width × height × bands × the format's size.
  ///   - width: In pixels.
  ///   - height: In pixels.
  ///   - bands: The numbers of a pixel, alpha included.
  ///   - format: What a number is.
  ///   - interpretation: What the bands mean; libvips' guess by their number where nil.
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
          "\(bytes.count) bytes are no picture of \(width)x\(height) with \(bands) bands of \(format.rawValue)"
      )
    }
    let pointer = try ErrorGate.pass("memory") {
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

  /// The pixels, computed now: rows from the top, pixels from the left, bands side by side.
  public func pixels() throws(VipsError) -> [UInt8] {
    var count = 0
    let memory = try ErrorGate.pass("memory") { vips_image_write_to_memory(pointer, &count) }
    defer { g_free(memory) }
    return Array(UnsafeRawBufferPointer(start: memory, count: count))
  }

  /// The same picture with its pixels computed now and kept in memory: many may read it, at no more cost.
  public func materialized() throws(VipsError) -> VipsImage {
    VipsImage(consuming: try ErrorGate.pass("copy") { vips_image_copy_memory(pointer) })
  }

  /// Whether the pixels are in memory, or in a file that is mapped into it: reading them computes nothing.
  public var isAtHand: Bool {
    switch pointer.pointee.dtype {
    case VIPS_IMAGE_SETBUF, VIPS_IMAGE_SETBUF_FOREIGN, VIPS_IMAGE_MMAPIN, VIPS_IMAGE_MMAPINRW,
      VIPS_IMAGE_OPENIN:
      true
    default: false
    }
  }

  /// The same picture with its pixels computed now and kept in a file, which goes away with the image.
  /// - Parameter directory: Where the file is made. It has no name while it is in use, so that nothing is left behind by a
  ///   process that ends early.
  public func stored(inDirectory directory: String) throws(VipsError) -> VipsImage {
    // libvips chooses its own format by the name's end.
    var template = Array("\(directory)/imagemill-XXXXXX.v".utf8CString)
    let descriptor = mkstemps(&template, 2)
    guard descriptor >= 0 else {
      throw VipsError(
        operation: "vipssave",
        text: "no file for pixels in \(directory): \(SystemError.last.text)",
        isCertain: true)
    }
    close(descriptor)
    let path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    defer { unlink(path) }
    _ = try VipsOperation("vipssave", ["in": .image(self), "filename": .string(path)])
    // Blocked with the loaders that trust a file's header to describe memory. This header is ours.
    try VipsRuntime.setBlocked(false, operation: "VipsForeignLoadVips")
    let image = try VipsOperation("vipsload", ["filename": .string(path)]).image()
    // The whole file is mapped, and not the part of it that is being read: libvips 8.14's `arrayjoin` reads a part
    // that has been unmapped. It takes no memory, and nobody else has seen the image yet.
    try ErrorGate.pass("vipsload") { vips_image_wio_input(image.pointer) == 0 ? () : nil }
    return image
  }

  /// The bytes that `materialized()` takes.
  public var pixelBytes: Int { width * height * bands * format.bytes }

  /// One more reference to the C object.
  func takingReference() -> UnsafeMutablePointer<CVips.VipsImage> {
    g_object_ref(pointer)
    return pointer
  }

  /// The picture with other header fields (`xres`, `interpretation` …) over the same pixels.
  public func copied(_ fields: VipsArguments = [:]) throws(VipsError) -> VipsImage {
    let arguments: VipsArguments = ["in": .image(self)]
    return try VipsOperation.image("copy", arguments.merging(fields))
  }
}
