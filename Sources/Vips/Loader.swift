import CVips
import CVipsLibrary
import Glibc
package import SystemIO

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

  /// How the loader reads an open file.
  private enum Reading: Hashable {
    /// By libvips' source (`_source`).
    case source
    /// From memory (`_buffer`).
    case buffer
    /// Only by path, although `fitsload_source` exists: it asks the source for its path.
    case path
  }

  private var reading: Reading {
    switch nickname {
    case "magickload": .buffer
    case "openexrload", "fitsload": .path
    default: .source
    }
  }

  /// Opens a file that may be open already. See ``open(_:sequential:failOn:frames:scale:)``.
  package func open(
    _ place: FilePlace, sequential: Bool, failOn: String = "truncated", frames: Int = 1, scale: Double = 1
  ) throws(VipsError) -> VipsImage {
    switch place {
    case .path(let path):
      return try open(path, sequential: sequential, failOn: failOn, frames: frames, scale: scale)
    case .unopened(let path, let error): throw unreadable(path, error)
    case .descriptor(let number):
      do throws(VipsError) {
        return try open(
          number, place, sequential: sequential, failOn: failOn, frames: frames, scale: scale)
      } catch {
        throw error.named(nickname)
      }
    }
  }

  private func open(
    _ number: Int32, _ place: FilePlace, sequential: Bool, failOn: String, frames: Int, scale: Double
  ) throws(VipsError) -> VipsImage {
    switch reading {
    case .source:
      try VipsRuntime.start()
      var code: Int32 = 0
      let source: UnsafeMutableRawPointer
      do throws(VipsError) {
        source = try VipsErrorLock.capturingError(nickname) { cvips_file_source_new(number, &code) }
      } catch {
        throw code == 0 ? error : unreadable("\(place)", SystemError(code: code))
      }
      defer { g_object_unref(source) }
      let arguments = arguments(sequential: sequential, failOn: failOn, frames: frames, scale: scale)
      return try VipsOperation(nickname + "_source", arguments, object: ("source", source)).image()
    case .buffer, .path:
      // A process without rules for files opens the descriptor's path. A worker may not.
      let own = "/proc/self/fd/\(number)"
      guard !Self.isRefused(own) else {
        return try openCopy(place, sequential: sequential, failOn: failOn, frames: frames, scale: scale)
      }
      return try open(own, sequential: sequential, failOn: failOn, frames: frames, scale: scale)
    }
  }

  /// Whether the process may not open a path. Only open(2) tells (landlock(7)).
  private static func isRefused(_ path: String) -> Bool {
    do throws(SystemError) {
      _ = try FileDescriptor(opening: path, O_RDONLY)
      return false
    } catch {
      return true
    }
  }

  private func openCopy(
    _ place: FilePlace, sequential: Bool, failOn: String, frames: Int, scale: Double
  ) throws(VipsError) -> VipsImage {
    switch reading {
    case .source, .buffer:
      let bytes: [UInt8]
      do throws(SystemError) { bytes = try place.contents() } catch { throw unreadable("\(place)", error) }
      return try open(bytes: bytes, sequential: sequential, failOn: failOn, frames: frames, scale: scale)
    case .path:
      let copy: String
      do throws(SystemError) {
        let file = try TemporaryName.makeFile("\(Paths.temporaryDirectory)/imagemill-", suffix: "")
        close(file.descriptor)
        copy = file.path
        try place.copy(to: copy)
      } catch {
        var failure = unreadable("\(place)", error)
        if [ENOSPC, EDQUOT, EFBIG].contains(error.code) { failure.failedWrite = error.code }
        throw failure
      }
      do throws(VipsError) {
        let image = try open(copy, sequential: sequential, failOn: failOn, frames: frames, scale: scale)
        cvips_remove_with(image.pointer, copy)
        return image
      } catch {
        unlink(copy)
        throw error
      }
    }
  }

  /// An error in the words that libvips has for it.
  private func unreadable(_ path: String, _ error: SystemError) -> VipsError {
    VipsError(
      operation: nickname, text: "unable to read \"\(path)\"\nunix error: \(error.text)", isCertain: true)
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
    var arguments = arguments(sequential: sequential, failOn: failOn, frames: frames, scale: scale)
    arguments[name] = source
    return try VipsOperation(operation, arguments).image()
  }

  private func arguments(sequential: Bool, failOn: String, frames: Int, scale: Double) -> VipsArguments {
    var arguments: VipsArguments = [
      "access": .nick(sequential ? "sequential" : "random"), "fail-on": .nick(failOn),
    ]
    if hasFrames, frames > 1 { arguments["n"] = .integer(frames) }
    if scale != 1 {
      switch shrinking {
      case .none: break
      case .factor: arguments["shrink"] = .integer(Int((1 / scale).rounded()))
      case .scale: arguments["scale"] = .double(scale)
      }
    }
    return arguments
  }
}
