import CVips

extension VipsImage {
  /// Computes this image from top to bottom, some rows at a time, on the calling thread.
  ///
  /// libvips' sinks hand the rows to a thread pool and wait, even if a single decoder produces them in order. That
  /// costs a hundred system calls for an image of web-page size.
  /// - Parameters:
  ///   - count: The number of rows in a piece. The last piece may have fewer.
  ///   - body: Receives a piece, valid until it returns, and the index of its first row. Returns whether to continue.
  /// - Throws: `VipsError` if an operation in the pipeline fails.
  package func forEachRows(_ count: Int, _ body: (PixelRows, Int) -> Bool) throws(VipsError) {
    try VipsErrorLock.capturingError("rows") { () -> Void? in
      guard let region = vips_region_new(pointer) else { return nil }
      defer { g_object_unref(region) }
      var top = 0
      while top < height {
        var area = VipsRect(
          left: 0, top: Int32(top), width: Int32(width), height: Int32(min(count, height - top)))
        guard vips_region_prepare(region, &area) == 0, let rows = PixelRows(region, area) else { return nil }
        guard body(rows, top) else { return () }
        top += count
      }
      return ()
    }
  }

  /// Creates an image in memory with this image's format and metadata, but another size and other pixels.
  /// - Parameters:
  ///   - width: The new width in pixels.
  ///   - height: The new height in pixels.
  ///   - fill: Writes all pixels.
  /// - Throws: `VipsError` if the memory can't be allocated, or the error that `fill` throws.
  package func replacingPixels(
    width: Int, height: Int, _ fill: (PixelRows) throws(VipsError) -> Void
  ) throws(VipsError) -> VipsImage {
    let result = VipsImage(consuming: try VipsErrorLock.capturingError("memory") { vips_image_new_memory() })
    let rows = try VipsErrorLock.capturingError("memory") { () -> PixelRows? in
      var sources: [UnsafeMutablePointer<CVips.VipsImage>?] = [pointer, nil]
      guard vips_image_pipeline_array(result.pointer, VIPS_DEMAND_STYLE_ANY, &sources) == 0 else {
        return nil
      }
      result.pointer.pointee.Xsize = Int32(width)
      result.pointer.pointee.Ysize = Int32(height)
      guard vips_image_write_prepare(result.pointer) == 0, let data = result.pointer.pointee.data else {
        return nil
      }
      return PixelRows(
        start: UnsafeMutableRawPointer(data), stride: width * bands * format.bytes, width: width,
        height: height)
    }
    try fill(rows)
    return result
  }
}
