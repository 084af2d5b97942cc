import CVips

extension VipsImage {
  /// Creates an image of 8-bit gray or sRGB pixels in memory, as a decoder does.
  /// - Parameters:
  ///   - width: The width in pixels, from 1.
  ///   - height: The height in pixels, from 1.
  ///   - isGray: Whether the image has one band of gray instead of three of sRGB.
  ///   - resolution: Pixels per millimeter in both directions.
  ///   - edit: Sets the metadata.
  ///   - fill: Writes all pixels.
  /// - Throws: `VipsError` if the memory can't be allocated, or the error that `fill` throws.
  package convenience init(
    width: Int, height: Int, isGray: Bool, resolution: (x: Double, y: Double),
    edit: (borrowing MetadataEditor) -> Void, fill: (PixelRows) throws(VipsError) -> Void
  ) throws(VipsError) {
    self.init(consuming: try VipsErrorLock.capturingError("memory") { vips_image_new_memory() })
    let bands = isGray ? 1 : 3
    vips_image_init_fields(
      pointer, Int32(width), Int32(height), Int32(bands), VIPS_FORMAT_UCHAR, VIPS_CODING_NONE,
      isGray ? VIPS_INTERPRETATION_B_W : VIPS_INTERPRETATION_sRGB, resolution.x, resolution.y)
    edit(MetadataEditor(pointer: pointer))
    let data = try VipsErrorLock.capturingError("memory") {
      vips_image_write_prepare(pointer) == 0 ? pointer.pointee.data : nil
    }
    try fill(
      PixelRows(start: UnsafeMutableRawPointer(data), stride: width * bands, width: width, height: height))
  }
}
