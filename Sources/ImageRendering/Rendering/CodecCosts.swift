import ImageFilters

/// Estimates of the memory that decoders use besides their output, in bytes. They err on the high side.
enum DecoderCost {
  static func bytes(_ source: SourceFacts, _ shape: SourceShape, frames: Int) -> Double {
    let pixels = Double(shape.stored.width) * Double(shape.stored.height)
    let bands = Double(source.bands ?? 4)
    let size = source.bitsPerSample == 16 ? 2.0 : 1
    let passes = source.isProgressive ?? true
    // Lines that libvips caches because the resampler reads them again.
    let lines = Double(shape.stored.width) * bands * size * 600
    let whole: Double =
      switch shape.format {
      // All scans' coefficients, two bytes each.
      case .jpeg: passes ? pixels * bands * 2 : 0
      case .png: passes ? pixels * bands * size : 0
      case .webp: pixels * (frames > 1 ? 12 : 5)
      case .gif: pixels * 9
      // One strip may be the whole image.
      case .tiff: pixels * bands * size
      case .heic, .avif: pixels * 12
      case .jxl, .jp2k, .exr: pixels * 20
      // ImageMagick holds four 16-bit samples per pixel, and libvips copies them.
      case .bmp, .ico, .xbm, .psd: pixels * 12
      case .svg, .pdf: pixels * 8
      case .ppm, .hdr, .fits: pixels * bands * size
      }
    return whole + lines
  }
}

/// Estimates of the memory that encoders use, in bytes. They err on the high side.
enum EncoderCost {
  static func bytes(_ encoding: Encoding, _ frame: FrameForecast, frames: Int, keepsPixels: Bool) -> Double {
    let kept = keepsPixels || encoding.maxBytes != nil || !encoding.alternatives.isEmpty
    let most = encoding.choices.map { each($0, frame, frames: frames) }.max() ?? 0
    return most + (kept ? frame.bytes * Double(frames) : 0)
  }

  private static func each(_ encoding: Encoding, _ frame: FrameForecast, frames: Int) -> Double {
    let pixels = Double(frame.extent.width) * Double(frame.extent.height)
    let lines = Double(frame.extent.width) * Double(frame.bands) * (frame.isDeep ? 2 : 1) * 400
    func isOn(_ name: String) -> Bool { encoding.option(name) == .flag(true) }
    let whole: Double =
      switch encoding.format {
      // Optimized Huffman tables and progressive scans need all coefficients first.
      case .jpeg: isOn("optimize") || isOn("progressive") ? pixels * 6 : 0
      case .png: isOn("palette") ? pixels * 24 : isOn("progressive") ? pixels * 8 : 0
      case .webp: pixels * (frames > 1 ? 40 : isOn("lossless") ? 36 : 14)
      // Lossless files have all of the chroma.
      case .avif, .heic: pixels * (isOn("lossless") ? 48 : 40)
      case .gif: pixels * 24
      case .tiff: isOn("pyramid") ? pixels * 4 : pixels
      case .jxl: pixels * 60
      }
    return whole + lines
  }
}
