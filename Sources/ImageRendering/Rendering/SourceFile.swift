import Glibc
import ImageCaches
import ImageFilters
package import SystemIO
import Vips

/// A source on disk whose header has been read and is within the limits.
package struct SourceFile {
  /// Private, because only ``open(sequential:failOn:frames:scale:)`` may open the file: it reads an SVG from the text that
  /// was checked.
  private let place: FilePlace
  let format: ImageFormat
  let loader: Loader
  let bands: Int
  package let shape: SourceShape
  let facts: SourceFacts
  let limits: RenderLimits
  /// The rewritten bytes of an SVG, which the decoder reads instead of the file.
  private let document: [UInt8]?
  /// Decodes the file without libvips; nil if it can't.
  private let jpeg: JPEGReader?

  package init(path: String, limits: RenderLimits) throws(RenderError) {
    try self.init(.path(path), limits: limits)
  }

  package init(_ place: FilePlace, limits: RenderLimits) throws(RenderError) {
    self.place = place
    self.limits = limits
    try RenderError.startingLibrary()
    let file = try FileReading.opened(place)
    let head = try FileReading.head(of: file, 4096, place)
    guard let format = ImageFormat(signature: head) else {
      let content = NonImageContent(head: head)
      throw RenderError(
        code: content == .empty ? .empty : .notAnImage, stage: .decode,
        message: "\(content.rawValue); check the source's path or URL")
    }
    self.format = format
    guard ImageFormat.readByDefault.contains(format) || limits.allows(format) else {
      throw RenderError(
        code: .unsupportedFormat, stage: .decode, .unreadFormat(format.rawValue),
        message: "the file is \(format.rawValue), which isn't read by default")
    }
    document = format == .svg ? try SVGDocument.rewritten(place) : nil
    if format == .png { try PNGMetadata.check(place) }
    if format == .webp { try Self.checkFrames(ofWebP: place, limits) }
    loader = Loader(format)
    jpeg =
      format == .jpeg && file.count <= JPEGReader.longestFile && JPEGReader.mayRead(head)
      ? JPEGReader(try FileReading.head(of: file, file.count, place)) : nil
    if let jpeg {
      bands = jpeg.bands
      shape = SourceShape(format: format, stored: jpeg.size, frames: 1, orientation: 1)
      var facts = SourceFacts(shape, hasAlpha: false)
      facts.bands = bands
      facts.bitsPerSample = 8
      facts.isProgressive = jpeg.hasScans
      self.facts = facts
      try check()
      return
    }
    let image: VipsImage
    do {
      guard try VipsRuntime.hasOperation(loader.nickname) else {
        throw RenderError(
          code: .unsupportedFormat, stage: .decode,
          message: "the installed libvips \(VipsRuntime.version) can't read \(format.rawValue)")
      }
      if let blockedClass = loader.blockedClass {
        try VipsRuntime.setBlocked(false, operation: blockedClass)
      }
      image = try Self.open(loader, place, document, sequential: true, failOn: "none")
    } catch let error as RenderError {
      throw error
    } catch let error as VipsError {
      if let full = RenderError.fullDisk(error, Paths.temporaryDirectory) { throw full }
      try DeclaredSize(of: place, format)?.check(within: limits)
      // The header may be unreadable because the file is truncated.
      try WholeFile.check(place, format)
      throw DecodeFailure.error(error, format)
    } catch {
      throw RenderError(code: .corrupt, stage: .decode, message: "can't open the image: \(error)")
    }
    if let profile = image.bytes("icc-profile-data") { try ColorProfile(profile).check() }
    bands = image.bands
    shape = SourceShape(
      format: format, stored: Size(width: image.width, height: image.pageHeight),
      frames: max(1, loader.hasFrames ? image.integer("n-pages") ?? 1 : 1), orientation: image.orientation)
    var facts = SourceFacts(shape, hasAlpha: image.hasAlpha)
    facts.bands = image.bands
    facts.bitsPerSample = image.format.bytes * 8
    facts.isProgressive = image.isStoredInPasses
    self.facts = facts
    try check()
  }

  /// Opens the image with its loader. See `Loader.open(_:sequential:failOn:frames:scale:)`.
  /// - Parameters:
  ///   - sequential: Whether pixels are read only once, from top to bottom.
  ///   - failOn: The mildest fault that fails: `none`, `truncated`, `error` or `warning`.
  ///   - frames: The number of frames to read. Default: 1.
  ///   - scale: The factor to decode at. Default: 1.
  /// - Throws: `VipsError` if the header can't be read.
  func open(
    sequential: Bool, failOn: String, frames: Int = 1, scale: Double = 1
  ) throws(VipsError) -> VipsImage {
    try Self.open(
      loader, place, document, sequential: sequential, failOn: failOn, frames: frames, scale: scale)
  }

  /// Decodes the image, upright and in a color space for filters.
  /// - Parameters:
  ///   - isReadOnce: Whether the pixels are read once, from top to bottom, so that they can stream from the file.
  ///   - failOn: See `Loader.open(_:sequential:failOn:frames:scale:)`.
  ///   - storage: Keeps the pixels otherwise.
  func decoded(
    _ options: DecodeOptions, isReadOnce: Bool, failOn: String, storage: PixelStorage
  ) throws -> Intermediate {
    let streams =
      isReadOnce && (options.keepsOrientation || shape.orientation == 1) && options.frames == 1
    if let image = try jpeg?.image(shrink: Int((1 / options.scale).rounded())) {
      return Intermediate(options.keepsColorSpace ? image : try image.inSRGB())
    }
    var image = try open(
      sequential: true, failOn: failOn, frames: options.frames, scale: options.scale)
    if !streams { image = try storage.keeping(image) }
    if !options.keepsOrientation { image = try image.upright() }
    if !options.keepsColorSpace || !image.isPlainColor { image = try image.inSRGB() }
    return streams ? Intermediate(image, from: .decoder) : Intermediate(image)
  }

  /// What the decoder has done of a chain's first resize.
  func shrinkOnLoad(_ options: DecodeOptions) -> ShrinkOnLoad {
    ShrinkOnLoad(
      extent: options.keepsOrientation ? shape.stored : shape.upright, scale: options.scale,
      isExact: loader.shrinking != .factor)
  }

  private static func open(
    _ loader: Loader, _ place: FilePlace, _ document: [UInt8]?, sequential: Bool, failOn: String,
    frames: Int = 1,
    scale: Double = 1
  ) throws(VipsError) -> VipsImage {
    if let document {
      try loader.open(
        bytes: document, sequential: sequential, failOn: failOn, frames: frames, scale: scale)
    } else {
      try loader.open(place, sequential: sequential, failOn: failOn, frames: frames, scale: scale)
    }
  }

  /// The maximum number of frames of a WebP even if only the first is decoded: libwebp's time to find a frame
  /// grows with their number.
  private static let mostWebPFrames = 5000

  private static func checkFrames(ofWebP place: FilePlace, _ limits: RenderLimits) throws(RenderError) {
    let limit = max(limits.maxFrames, mostWebPFrames)
    guard let frames = SourceHeader.facts(of: place)?.frames, frames > limit else { return }
    throw RenderError(
      code: .tooManyFrames, stage: .decode,
      message:
        "the image has \(frames) frames; even to read one, the limit is \(limit) frames")
  }

  /// Checks the size and the decoder's memory against the limits.
  private func check() throws(RenderError) {
    let stored = shape.stored
    try DeclaredSize.check(stored, within: limits)
    // The decoder of a progressive image holds all coefficients, two bytes each.
    let coefficients = stored.width * stored.height * bands * 2
    guard facts.isProgressive != true || coefficients <= limits.memory else {
      throw RenderError(
        code: .tooMuchMemory, stage: .decode, .memory(coefficients, limit: limits.memory),
        message: "decoding this progressive image of \(stored.width)x\(stored.height) takes "
          + "\(coefficients >> 20) MiB, more than the limit of \(limits.memory >> 20) MiB"
      )
    }
  }
}

extension VipsImage {
  /// Whether the file is a progressive JPEG or an interlaced PNG or GIF. libvips sets the field to 0 on baseline JPEGs.
  var isStoredInPasses: Bool {
    ["jpeg-multiscan", "interlaced"].contains { (integer($0) ?? 0) != 0 }
  }
}

extension RenderLimits {
  func allows(_ format: ImageFormat) -> Bool {
    allowedFormats.contains(format.rawValue) || format == .heic && allowedFormats.contains("heif")
  }
}
