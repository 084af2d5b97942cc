import CVips

/// A rectangle of an image's pixels in memory, valid only while libvips computes it.
package struct PixelRows {
  /// The first sample of the first row.
  package let start: UnsafeMutableRawPointer
  /// The distance between rows in bytes.
  package let stride: Int
  /// The width in pixels.
  package let width: Int
  /// The height in pixels.
  package let height: Int

  init(start: UnsafeMutableRawPointer, stride: Int, width: Int, height: Int) {
    (self.start, self.stride, self.width, self.height) = (start, stride, width, height)
  }

  init?(_ region: UnsafeMutablePointer<VipsRegion>, _ area: VipsRect) {
    guard let data = region.pointee.data, let image = region.pointee.im else { return nil }
    let valid = region.pointee.valid
    let pixel = Int(image.pointee.Bands) * Int(vips_format_sizeof(image.pointee.BandFmt))
    stride = Int(region.pointee.bpl)
    // The macro VIPS_REGION_ADDR, which Swift can't import.
    start = UnsafeMutableRawPointer(data)
      .advanced(by: Int(area.top - valid.top) * stride + Int(area.left - valid.left) * pixel)
    width = Int(area.width)
    height = Int(area.height)
  }

  /// The start of a row, counting from 0.
  package func row(_ index: Int) -> UnsafeMutableRawPointer { start.advanced(by: index * stride) }
}

extension VipsImage {
  /// An image that Swift code computes from this one, one rectangle at a time, when its pixels are read.
  ///
  /// The result is smaller by the margins: its first pixel is computed from this image's first `2 * margin + 1` columns
  /// and rows. To keep the size, add a border first (``embedded(x:y:width:height:extend:background:)``).
  /// - Parameters:
  ///   - margin: The number of pixels on each side that a pixel depends on.
  ///   - format: The type of the result's samples (default: this image's). Bands and interpretation stay the same.
  ///   - body: Fills the second rectangle from the first, which is larger by the margins. It is called from several
  ///     threads at once.
  /// - Throws: `VipsError` if the image is too small for the margins.
  package func computing(
    margin: Int = 0, format: BandFormat? = nil, _ body: @escaping @Sendable (PixelRows, PixelRows) -> Void
  ) throws(VipsError) -> VipsImage {
    guard width > 2 * margin, height > 2 * margin else {
      throw VipsError(
        operation: "compute", text: "a \(width)x\(height) image is too small for margins of \(margin)")
    }
    let result = VipsImage(consuming: try VipsErrorLock.capturingError("compute") { vips_image_new() })
    let computation = Unmanaged.passRetained(
      Computation(source: self, margin: Int32(margin), body: body)
    ).toOpaque()
    // The C object must own the closure and the source, because libvips may hold it longer than `result` lives.
    g_object_set_data_full(
      UnsafeMutableRawPointer(result.pointer).assumingMemoryBound(to: GObject.self), "imagemill-computation",
      computation, { if let box = $0 { Unmanaged<Computation>.fromOpaque(box).release() } })
    try VipsErrorLock.capturingError("compute") { () -> Void? in
      var sources: [UnsafeMutablePointer<CVips.VipsImage>?] = [pointer, nil]
      guard vips_image_pipeline_array(result.pointer, VIPS_DEMAND_STYLE_SMALLTILE, &sources) == 0 else {
        return nil
      }
      result.pointer.pointee.Xsize -= Int32(2 * margin)
      result.pointer.pointee.Ysize -= Int32(2 * margin)
      if let format { result.pointer.pointee.BandFmt = format.native }
      let status = vips_image_generate(
        result.pointer, { vips_start_one($0, $1, $2) }, Computation.generate, { vips_stop_one($0, $1, $2) },
        pointer, computation)
      return status == 0 ? () : nil
    }
    return result
  }
}

/// The state of libvips' generate callback.
private final class Computation: Sendable {
  let source: VipsImage
  let margin: Int32
  let body: @Sendable (PixelRows, PixelRows) -> Void

  init(source: VipsImage, margin: Int32, body: @escaping @Sendable (PixelRows, PixelRows) -> Void) {
    self.source = source
    self.margin = margin
    self.body = body
  }

  static let generate: VipsGenerateFn = { output, sequence, _, box, _ in
    guard let output, let sequence, let box else { return -1 }
    let computation = Unmanaged<Computation>.fromOpaque(box).takeUnretainedValue()
    let input = sequence.assumingMemoryBound(to: VipsRegion.self)
    let area = output.pointee.valid
    var needed = VipsRect(
      left: area.left, top: area.top, width: area.width + 2 * computation.margin,
      height: area.height + 2 * computation.margin)
    guard vips_region_prepare(input, &needed) == 0, let read = PixelRows(input, needed),
      let written = PixelRows(output, area)
    else { return -1 }
    computation.body(read, written)
    return 0
  }
}
