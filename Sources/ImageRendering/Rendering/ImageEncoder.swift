import Glibc
import ImageFilters
import Vips

/// Writes a rendition as a file of one format.
struct ImageEncoder {
  let encoding: Encoding
  let definition: EncoderDefinition

  init(_ encoding: Encoding) throws(RenderError) {
    self.encoding = encoding
    guard let definition = EncoderTable.definition(of: encoding.format) else {
      throw RenderError(
        code: .unsupportedFormat, stage: .encode, message: "'\(encoding.format.rawValue)' can't be written")
    }
    do throws(EncodingSettingsError) { try encoding.checkOptions() } catch {
      throw RenderError(code: .badEncoding, stage: .encode, message: error.message)
    }
    self.definition = definition
  }

  /// Whether the rendition is encoded more than once.
  var needsSeveralPasses: Bool { encoding.maxBytes != nil }

  /// Converts the rendition's depth, alpha, profile, frame delays and metadata to what the encoding can hold.
  /// - Parameter isGray: Whether all pixels are gray; the output then has one color band if the format allows it.
  func prepared(_ rendition: VipsImage, isGray: Bool = false) throws -> VipsImage {
    var image = rendition
    guard image.pageCount == 1 || definition.holdsFrames else {
      throw RenderError(
        code: .noFrames, stage: .encode,
        message: "\(encoding.format.rawValue) can't hold an animation; write webp or gif")
    }
    guard max(image.width, image.pageHeight) <= definition.longestSide else {
      throw RenderError(
        code: .tooLargeForFormat, stage: .encode,
        message: "\(encoding.format.rawValue) can hold sides of up to \(definition.longestSide) pixels, not "
          + "\(image.width)x\(image.pageHeight); make the image smaller, or write another format")
    }
    // The source's colors are kept for a candidate format that holds their profile; others get sRGB.
    if encoding.profile == .sRGB, image.hasField("icc-profile-data") { image = try image.inSRGB() }
    if image.hasAlpha, !definition.holdsAlpha { image = try flattened(image) }
    if isGray, writesGray(image) { image = try image.gray() }
    if case .file(let path, _) = encoding.profile {
      if let refusal = PlacedFiles.refusal(of: path) {
        throw RenderError(
          code: .encodeFailed, stage: .encode, message: "the color profile '\(path)' \(refusal)")
      }
      image = try image.applying(
        "icc_transform",
        [
          "output-profile": .string(PlacedFiles.location(of: path)), "input-profile": "srgb",
          "embedded": false,
          "depth": .integer(image.format == .ushort ? 16 : 8),
        ])
    }
    if image.format == .ushort, !keepsDepth {
      image = try image.converted(to: image.bands < 3 ? .gray : .sRGB)
    }
    if encoding.format == .gif, image.pageCount > 1, let delays = image.integers("delay") {
      image = try image.editingMetadata { $0.set("delay", FrameTiming.hundredths(delays)) }
    }
    return try pruning.applied(to: image)
  }

  /// Whether the output has one color band. An ICC file's profile is for three.
  private func writesGray(_ image: VipsImage) -> Bool {
    guard image.colorBands == 3, definition.holdsGray, encoding.option("palette") != .flag(true),
      encoding.profile == .sRGB, let color = Color(encoding.background)
    else { return false }
    return definition.holdsAlpha || !image.hasAlpha || color.isGray
  }

  /// Whether 16-bit samples are kept. `bit-depth` decides if the encoder has it, otherwise the format and `palette`.
  private var keepsDepth: Bool {
    if case .choice(let depth)? = encoding.option("bit-depth") { return depth != "8" }
    return definition.holds16Bits && encoding.option("palette") != .flag(true)
  }

  private var embedsProfile: Bool { encoding.profile != .sRGB }

  private var pruning: MetadataStripper {
    MetadataStripper(
      policy: encoding.metadata, keepsProfile: embedsProfile, keepsOrientation: encoding.keepsOrientation,
      writesEXIF: encoding.format != .tiff)
  }

  private func flattened(_ image: VipsImage) throws -> VipsImage {
    guard let color = Color(encoding.background) else {
      throw RenderError(
        code: .badEncoding, stage: .encode,
        message: "'\(encoding.background)' isn't a valid background color")
    }
    let factor = image.format == .ushort ? 257.0 : 1.0
    let values = [color.red, color.green, color.blue].map { Double($0) * factor }
    let flat = try image.applying(
      "flatten",
      [
        "background": .doubles(image.bands < 4 ? [values[1]] : values),
        "max-alpha": .double(image.format == .ushort ? 65_535 : 255),
      ])
    return flat
  }

  /// Encodes and writes one file.
  /// - Parameter quality: Overrides the encoding's quality, 1 to 100.
  func write(_ image: VipsImage, to path: String, quality: Int? = nil) throws {
    // Safe: saving parses no untrusted bytes. libvips blocks this saver together with the JPEG XL loader.
    if encoding.format == .jxl { try VipsRuntime.setBlocked(false, operation: "VipsForeignSaveJxl") }
    let strips = pruning.leavesNothing(in: image)
    if strips, encoding.format == .jpeg, let writer = JPEGWriter(encoding, quality: quality, image: image) {
      return try writer.write(image, to: path)
    }
    var arguments: VipsArguments = [:]
    if strips { arguments = arguments.merging(VipsRuntime.withoutMetadata) }
    // The profile is among the image's metadata, which every saver writes. Not all have an argument for it.
    for (name, value) in try saverArguments(quality: quality, image: image) { arguments[name] = value }
    try image.save(saver, to: path, arguments)
    if strips, encoding.format == .webp { try WebPFile.dropEXIF(at: path) }
  }

  /// The number of frames in the file. WebP's encoder merges identical consecutive frames and adds their delays.
  func frameCount(of image: VipsImage, at path: String) throws(VipsError) -> Int {
    guard encoding.format == .webp, image.pageCount > 1 else { return image.pageCount }
    return try Loader(.webp).open(path, sequential: true).integer("n-pages") ?? 1
  }

  private var saver: String { Self.saver(of: encoding.format) }

  /// The libvips operation that writes a format to a file.
  static func saver(of format: OutputFormat) -> String {
    switch format {
    case .jpeg: "jpegsave"
    case .png: "pngsave"
    case .webp: "webpsave"
    case .avif, .heic: "heifsave"
    case .gif: "gifsave"
    case .tiff: "tiffsave"
    case .jxl: "jxlsave"
    }
  }

  private func saverArguments(quality: Int?, image: VipsImage) throws(VipsError) -> [(String, VipsValue)] {
    var result: [(String, VipsValue)] = []
    func add(_ option: String, as name: String) {
      switch encoding.option(option) {
      case .integer(let number): result.append((name, .integer(number)))
      case .number(let number): result.append((name, .double(number)))
      case .flag(let flag): result.append((name, .boolean(flag)))
      case .choice(let word): result.append((name, .nick(word)))
      case nil: break
      }
    }
    switch encoding.format {
    case .jpeg:
      add("quality", as: "Q")
      add("progressive", as: "interlace")
      add("subsampling", as: "subsample-mode")
      add("optimize", as: "optimize-coding")
    case .png:
      add("compression", as: "compression")
      add("progressive", as: "interlace")
      if encoding.option("palette") == .flag(true) {
        add("palette", as: "palette")
        add("dither", as: "dither")
        result.append(("bitdepth", .integer(paletteDepth)))
      }
    case .webp:
      for (option, name) in [
        ("quality", "Q"), ("lossless", "lossless"), ("near-lossless", "near-lossless"), ("effort", "effort"),
        ("alpha-quality", "alpha-q"),
      ] { add(option, as: name) }
    case .avif, .heic:
      result.append(("compression", .nick(encoding.format == .avif ? "av1" : "hevc")))
      for (option, name) in [("quality", "Q"), ("effort", "effort"), ("lossless", "lossless")] {
        add(option, as: name)
      }
      if encoding.option("lossless") == .flag(true) { result.append(("subsample-mode", .nick("off"))) }
      if case .choice(let depth)? = encoding.option("bit-depth"), let bits = Int(depth) {
        result.append(("bitdepth", .integer(bits)))
      }
    case .gif:
      add("dither", as: "dither")
      add("effort", as: "effort")
      result.append(("bitdepth", .integer(paletteDepth)))
    case .tiff:
      for (option, name) in [
        ("compression", "compression"), ("quality", "Q"), ("tile", "tile"), ("pyramid", "pyramid"),
      ] { add(option, as: name) }
    case .jxl:
      for (option, name) in [("quality", "Q"), ("lossless", "lossless"), ("effort", "effort")] {
        add(option, as: name)
      }
    }
    if let quality { result.append(("Q", .integer(quality))) }
    return result
  }

  /// The bits of a palette index for the number of colors.
  private var paletteDepth: Int {
    guard case .integer(let colors)? = encoding.option("colors") else { return 8 }
    return colors <= 2 ? 1 : colors <= 4 ? 2 : colors <= 16 ? 4 : 8
  }
}

extension VipsImage {
  /// One band of three equal color bands, and alpha if present.
  fileprivate func gray() throws -> VipsImage {
    let level = try extractingBands(from: 1, count: 1)
    let gray = hasAlpha ? try level.joiningBands([extractingBands(from: bands - 1, count: 1)]) : level
    return try gray.copied(["interpretation": format == .ushort ? "grey16" : "b-w"])
  }

  fileprivate var colorBands: Int { hasAlpha ? bands - 1 : bands }
}
