/// How libvips reads a format: the loader by name and what it may be asked for.
///
/// Loaders are called by name, never found by asking each one: that costs a tenth of a small picture's time,
/// and a file's name never decides what is done with its content.
public struct Loader: Sendable, Hashable {
  /// The operation's nickname.
  public let nickname: String
  /// The operation class that libvips blocks as untrusted; nil where it doesn't.
  public let blockedClass: String?
  /// Whether it reads several pages as frames (`n`).
  public let hasFrames: Bool

  /// Whole factors by which it can shrink while it decodes, largest first.
  public enum Shrinking: Sendable, Hashable {
    case none
    /// `shrink`: 1, 2, 4 or 8.
    case factor
    /// `scale`: any, below or above 1.
    case scale
  }

  /// How it shrinks while it decodes.
  public let shrinking: Shrinking

  /// The loader for a format.
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

  /// The faults that make a picture a damaged one, as `open` takes them.
  ///
  /// libjpeg only warns of data that it had to make up. Other decoders' warnings are about harmless things (a
  /// profile of an odd version, an unknown tag), and what is damaged is an error to them.
  public var strictness: String { nickname == "jpegload" ? "warning" : "error" }

  /// Opens a file: its header is read now, its pixels when they are wanted.
  /// - Parameters:
  ///   - path: The file's, as the system calls take it.
  ///   - sequential: Whether pixels are wanted once, from top to bottom.
  ///   - failOn: `none`, `truncated`, `error` or `warning`: how bad a fault must be.
  ///   - frames: How many pages, for a loader that has them.
  ///   - scale: By which factor, for a loader that can: 1, 1/2, 1/4 or 1/8, or any for one that takes any.
  public func open(
    _ path: String, sequential: Bool, failOn: String = "truncated", frames: Int = 1, scale: Double = 1
  ) throws(VipsError) -> VipsImage {
    var arguments: VipsArguments = [
      "filename": .string(path), "access": .nick(sequential ? "sequential" : "random"),
      "fail-on": .nick(failOn),
    ]
    if hasFrames, frames > 1 { arguments["n"] = .integer(frames) }
    if scale != 1 {
      switch shrinking {
      case .none: break
      case .factor: arguments["shrink"] = .integer(Int((1 / scale).rounded()))
      case .scale: arguments["scale"] = .double(scale)
      }
    }
    return try VipsOperation(nickname, arguments).image()
  }
}
