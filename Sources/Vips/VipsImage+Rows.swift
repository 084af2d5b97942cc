import CVips

extension VipsImage {
  /// Computes this image from the top, some rows at a time, on this thread.
  ///
  /// libvips' own sinks give the rows to threads of a pool and wait for them, even where a single decoder makes them one
  /// after the other: a hundred system calls for an image of a web page.
  /// - Parameters:
  ///   - count: How many rows there are in a piece; the last may have fewer.
  ///   - body: Gets a piece, valid until it returns, and the number of its first row. It returns whether it wants more.
  package func forEachRows(_ count: Int, _ body: (PixelRows, Int) -> Bool) throws(VipsError) {
    try ErrorGate.pass("rows") { () -> Void? in
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

  /// An image in memory with this image's header and metadata, and pixels of the same type in another number.
  /// - Parameters:
  ///   - width: In pixels.
  ///   - height: In pixels.
  ///   - fill: Writes all of the pixels.
  package func replacingPixels(
    width: Int, height: Int, _ fill: (PixelRows) throws(VipsError) -> Void
  ) throws(VipsError) -> VipsImage {
    let result = VipsImage(consuming: try ErrorGate.pass("memory") { vips_image_new_memory() })
    let rows = try ErrorGate.pass("memory") { () -> PixelRows? in
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
