// swift-format-ignore-file
// Generated from EncoderTable by `make generated`.

extension Encoding {
  /// image/jpeg.
  /// - Parameters:
  ///   - quality: Higher values give better and larger images. Values: 1…100.
  ///   - progressive: Write progressive scans. Values: true|false.
  ///   - subsampling: Subsample chroma; auto subsamples below quality 90. Values: auto|on|off.
  ///   - optimize: Compute optimal Huffman tables. Values: true|false.
  public static func jpeg(
    quality: Int = 80, progressive: Bool = false, subsampling: JpegSubsampling = .auto, optimize: Bool = true
  ) -> Encoding {
    Encoding(
      typed: .jpeg,
      ["quality": .integer(quality), "progressive": .flag(progressive), "subsampling": .choice(subsampling.rawValue), "optimize": .flag(optimize)])
  }

  /// image/png.
  /// - Parameters:
  ///   - compression: Deflate level. Values: 0…9.
  ///   - palette: Quantize to a palette. Values: true|false.
  ///   - colors: Colors in the palette, rounded up to 2, 4, 16 or 256. Values: 2…256.
  ///   - dither: Amount of dithering. Values: 0.0…1.0.
  ///   - progressive: Interlace (Adam7). Values: true|false.
  public static func png(
    compression: Int = 6, palette: Bool = false, colors: Int = 256, dither: Double = 1.0, progressive: Bool = false
  ) -> Encoding {
    Encoding(
      typed: .png,
      ["compression": .integer(compression), "palette": .flag(palette), "colors": .integer(colors), "dither": .number(dither), "progressive": .flag(progressive)])
  }

  /// image/webp.
  /// - Parameters:
  ///   - quality: Higher values give better and larger images. Values: 1…100.
  ///   - lossless: Keep every pixel. Values: true|false.
  ///   - nearLossless: Adjust pixels slightly to compress better; quality sets how much. Values: true|false.
  ///   - effort: CPU effort. Values: 0…6.
  ///   - alphaQuality: Quality of the alpha channel. Values: 0…100.
  public static func webp(
    quality: Int = 80, lossless: Bool = false, nearLossless: Bool = false, effort: Int = 4, alphaQuality: Int = 100
  ) -> Encoding {
    Encoding(
      typed: .webp,
      ["quality": .integer(quality), "lossless": .flag(lossless), "near-lossless": .flag(nearLossless), "effort": .integer(effort), "alpha-quality": .integer(alphaQuality)])
  }

  /// image/avif.
  /// - Parameters:
  ///   - quality: Higher values give better and larger images. Values: 1…100.
  ///   - effort: CPU effort. Values: 0…9.
  ///   - lossless: Encode without loss, except that 8-bit colors may differ by 1 level. Values: true|false.
  ///   - bitDepth: Bits per sample. Values: 8|12.
  public static func avif(
    quality: Int = 50, effort: Int = 4, lossless: Bool = false, bitDepth: AvifBitDepth = .bits8
  ) -> Encoding {
    Encoding(
      typed: .avif,
      ["quality": .integer(quality), "effort": .integer(effort), "lossless": .flag(lossless), "bit-depth": .choice(bitDepth.rawValue)])
  }

  /// image/heic.
  /// - Parameters:
  ///   - quality: Higher values give better and larger images. Values: 1…100.
  ///   - effort: CPU effort. Values: 0…9.
  ///   - lossless: Encode without loss, except that 8-bit colors may differ by 1 level. Values: true|false.
  ///   - bitDepth: Bits per sample. Values: 8|10|12.
  public static func heic(
    quality: Int = 50, effort: Int = 4, lossless: Bool = false, bitDepth: HeicBitDepth = .bits8
  ) -> Encoding {
    Encoding(
      typed: .heic,
      ["quality": .integer(quality), "effort": .integer(effort), "lossless": .flag(lossless), "bit-depth": .choice(bitDepth.rawValue)])
  }

  /// image/gif.
  /// - Parameters:
  ///   - dither: Amount of dithering. Values: 0.0…1.0.
  ///   - colors: Colors in the palette, rounded up to 2, 4, 16 or 256. Values: 2…256.
  ///   - effort: CPU effort. Values: 1…10.
  public static func gif(
    dither: Double = 1.0, colors: Int = 256, effort: Int = 7
  ) -> Encoding {
    Encoding(
      typed: .gif,
      ["dither": .number(dither), "colors": .integer(colors), "effort": .integer(effort)])
  }

  /// image/tiff.
  /// - Parameters:
  ///   - compression: Compression method. Values: lzw|none|deflate|jpeg|packbits|zstd.
  ///   - quality: Higher values give better and larger images. Values: 1…100.
  ///   - tile: Write tiles of 128x128 pixels. Values: true|false.
  ///   - pyramid: Write an image pyramid. Values: true|false.
  public static func tiff(
    compression: TiffCompression = .lzw, quality: Int = 75, tile: Bool = false, pyramid: Bool = false
  ) -> Encoding {
    Encoding(
      typed: .tiff,
      ["compression": .choice(compression.rawValue), "quality": .integer(quality), "tile": .flag(tile), "pyramid": .flag(pyramid)])
  }

  /// image/jxl.
  /// - Parameters:
  ///   - quality: Higher values give better and larger images. Values: 1…100.
  ///   - lossless: Keep every pixel. Values: true|false.
  ///   - effort: CPU effort. Values: 3…9.
  public static func jxl(
    quality: Int = 75, lossless: Bool = false, effort: Int = 7
  ) -> Encoding {
    Encoding(
      typed: .jxl,
      ["quality": .integer(quality), "lossless": .flag(lossless), "effort": .integer(effort)])
  }

  /// Subsample chroma; auto subsamples below quality 90.
  public enum JpegSubsampling: String, Sendable, CaseIterable {
    case auto
    case on
    case off
  }

  /// Bits per sample.
  public enum AvifBitDepth: String, Sendable, CaseIterable {
    case bits8 = "8"
    case bits12 = "12"
  }

  /// Bits per sample.
  public enum HeicBitDepth: String, Sendable, CaseIterable {
    case bits8 = "8"
    case bits10 = "10"
    case bits12 = "12"
  }

  /// Compression method.
  public enum TiffCompression: String, Sendable, CaseIterable {
    case lzw
    case `none`
    case deflate
    case jpeg
    case packbits
    case zstd
  }
}
