/// libvips' loader for a format, with its capabilities.
///
/// Loaders are called by name. Letting libvips try each loader costs a tenth of a small image's time, and a file's name
/// must not decide how its content is read.
public struct Loader: Sendable, Hashable {
  /// The operation's nickname, such as `jpegload`. The variant for memory adds `_buffer`.
  public let nickname: String
  /// The operation class, if libvips blocks it as untrusted; otherwise nil.
  public let blockedClass: String?
  /// Whether the loader reads several pages as frames (`n`).
  public let hasFrames: Bool

  /// The loader's option for shrinking while decoding.
  public enum Shrinking: Sendable, Hashable {
    /// The loader decodes only at full size.
    case none
    /// `shrink`: 1, 2, 4 or 8.
    case factor
    /// `scale`: any factor, below or above 1.
    case scale
  }

  /// How the loader can shrink while decoding.
  public let shrinking: Shrinking

  /// Creates the loader for a format.
  /// - Parameter format: The file's format. HEIC and AVIF share a loader, as do BMP, ICO, XBM and PSD.
  public init(_ format: ImageFormat) {
    switch format {
    case .jpeg: self.init("jpegload", shrinking: .factor)
    case .png: self.init("pngload")
    case .webp: self.init("webpload", hasFrames: true, shrinking: .scale)
    case .gif: self.init("gifload", hasFrames: true)
    case .tiff: self.init("tiffload", hasFrames: true)
    case .heic, .avif: self.init("heifload")
    case .bmp, .ico, .xbm, .psd: self.init("magickload", blocked: "VipsForeignLoadMagick")
    case .svg: self.init("svgload", blocked: "VipsForeignLoadSvg", shrinking: .scale)
    case .pdf: self.init("pdfload", blocked: "VipsForeignLoadPdf", shrinking: .scale)
    case .jxl: self.init("jxlload", blocked: "VipsForeignLoadJxl")
    case .jp2k: self.init("jp2kload", blocked: "VipsForeignLoadJp2k")
    case .ppm: self.init("ppmload", blocked: "VipsForeignLoadPpm")
    case .exr: self.init("openexrload", blocked: "VipsForeignLoadOpenexr")
    case .hdr: self.init("radload", blocked: "VipsForeignLoadRad")
    case .fits: self.init("fitsload", blocked: "VipsForeignLoadFits")
    }
  }

  private init(
    _ nickname: String, blocked: String? = nil, hasFrames: Bool = false, shrinking: Shrinking = .none
  ) {
    self.nickname = nickname
    blockedClass = blocked
    self.hasFrames = hasFrames
    self.shrinking = shrinking
  }

  /// The `failOn` level at which a damaged image fails.
  ///
  /// libjpeg only warns about data that it made up. Other decoders report damage as an error and warn about harmless
  /// things, such as an unusual profile version or an unknown tag.
  public var strictness: String { nickname == "jpegload" ? "warning" : "error" }

  /// Opens a file. The header is read now, the pixels when they are needed.
  /// - Parameters:
  ///   - path: The file's path.
  ///   - sequential: Whether pixels are read only once, from top to bottom.
  ///   - failOn: The mildest fault that fails: `none`, `truncated`, `error` or `warning` (libvips' `fail-on`).
  ///   - frames: The number of pages to read; ignored if the loader has no frames.
  ///   - scale: The factor to decode at: 1, 1/2, 1/4 or 1/8 for `.factor`, any for `.scale`; otherwise ignored.
  /// - Throws: `VipsError` if libvips lacks or blocks the loader, or can't read the header.
  public func open(
    _ path: String, sequential: Bool, failOn: String = "truncated", frames: Int = 1, scale: Double = 1
  ) throws(VipsError) -> VipsImage {
    try open(
      nickname, "filename", .string(path), sequential: sequential, failOn: failOn, frames: frames,
      scale: scale)
  }

  /// Opens an image in memory, which is copied. The header is read now, the pixels when they are needed.
  ///
  /// Not every loader has a variant for memory: most do.
  /// - Parameters:
  ///   - bytes: The whole file.
  ///   - sequential: Whether pixels are read only once, from top to bottom.
  ///   - failOn: The mildest fault that fails: `none`, `truncated`, `error` or `warning` (libvips'
  ///     `fail-on`).
  ///   - frames: The number of pages to read; ignored if the loader has no frames.
  ///   - scale: The factor to decode at: 1, 1/2, 1/4 or 1/8 for `.factor`, any for `.scale`; otherwise
  ///     ignored.
  /// - Throws: `VipsError` if libvips lacks or blocks the loader, or can't read the header.
  public func open(
    bytes: [UInt8], sequential: Bool, failOn: String = "truncated", frames: Int = 1, scale: Double = 1
  ) throws(VipsError) -> VipsImage {
    try open(
      nickname + "_buffer", "buffer", .bytes(bytes), sequential: sequential, failOn: failOn, frames: frames,
      scale: scale)
  }

  private func open(
    _ operation: String, _ name: String, _ source: VipsValue, sequential: Bool, failOn: String, frames: Int,
    scale: Double
  ) throws(VipsError) -> VipsImage {
    var arguments: VipsArguments = [
      "access": .nick(sequential ? "sequential" : "random"), "fail-on": .nick(failOn),
    ]
    arguments[name] = source
    if hasFrames, frames > 1 { arguments["n"] = .integer(frames) }
    if scale != 1 {
      switch shrinking {
      case .none: break
      case .factor: arguments["shrink"] = .integer(Int((1 / scale).rounded()))
      case .scale: arguments["scale"] = .double(scale)
      }
    }
    return try VipsOperation(operation, arguments).image()
  }
}
