public import ImageCaches
import ImageFilters
import SystemIO
import Vips

/// A description of an image file, as `imagemill inspect` prints it.
public struct ImageInspection: Sendable, Hashable, Codable {
  /// The format by its signature: `jpeg`, `png` …
  public var format: String
  /// The width in pixels, after the orientation is applied.
  public var width: Int
  /// The height of one frame in pixels, after the orientation is applied.
  public var height: Int
  /// The EXIF orientation, 1 to 8.
  public var orientation: Int
  /// The number of frames, from 1.
  public var frames: Int
  /// Each frame's delay in milliseconds; nil for a still image.
  public var delays: [Int]?
  /// How often an animation plays, 0 for forever; nil for a still image.
  public var loop: Int?
  /// The embedded ICC profile's description; nil if there is no profile.
  public var profile: String?
  /// libvips' interpretation: `srgb`, `b-w`, `cmyk` …
  public var colorSpace: String
  /// The number of samples per pixel, alpha included.
  public var bands: Int
  /// The number of bits per decoded sample.
  public var depth: Int
  /// Whether there is an alpha channel.
  public var hasAlpha: Bool
  /// Whether any pixel isn't opaque; false without an alpha channel.
  public var alphaUsed: Bool
  /// Whether the image is progressive or interlaced.
  public var progressive: Bool
  /// An estimate of the memory for decoding all frames at full size, in bytes.
  public var memory: Int
  /// EXIF fields by name, as text. Fields of 400 characters or more are left out.
  public var exif: [String: String]
  /// The file's size in bytes.
  public var bytes: Int
  /// The SHA-256 of the file's bytes.
  public var digest: ContentDigest
  /// Placeholders; nil if they weren't requested.
  public var placeholders: Placeholders?
  /// The decoder's warnings, without duplicates.
  public var warnings: [String]

  private enum CodingKeys: String, CodingKey {
    case format, width, height, orientation, frames, delays, loop, profile, colorSpace, bands, depth, hasAlpha
    case alphaUsed, progressive, memory, exif, bytes, placeholders, warnings
    case digest = "sha256"
  }

  /// Inspects a file.
  /// - Parameters:
  ///   - path: The file's path.
  ///   - limits: Limits that are checked against the header before pixels are decoded.
  ///   - wantsPlaceholders: Whether to compute ``placeholders``, which decodes all pixels.
  /// - Throws: `RenderError` of stage `decode` if the file isn't an image, exceeds a limit or is damaged.
  public init(
    path: String, limits: RenderLimits = RenderLimits(), placeholders wantsPlaceholders: Bool = false
  ) throws(RenderError) {
    try self.init(.path(path), limits: limits, placeholders: wantsPlaceholders)
  }

  init(_ place: FilePlace, limits: RenderLimits, placeholders wantsPlaceholders: Bool) throws(RenderError) {
    let log = VipsLog()
    let file = try SourceFile(place, limits: limits)
    try WholeFile.check(place, file.format)
    let (bytes, digest) = try FileReading.digest(of: place)
    do {
      let image = try file.open(
        sequential: false, failOn: file.loader.strictness, frames: file.shape.frames)
      self.init(file, header: image, bytes: bytes, digest: digest)
      alphaUsed = try image.usesAlpha()
      if wantsPlaceholders {
        let first = try image.cropped(x: 0, y: 0, width: image.width, height: image.pageHeight)
        placeholders = try PlaceholderMaker(first.upright()).placeholders()
      }
    } catch let error as RenderError {
      throw error
    } catch let error as VipsError {
      throw DecodeFailure.error(error, file.format)
    } catch {
      throw RenderError(code: .corrupt, stage: .decode, message: "can't read the image: \(error)")
    }
    warnings = log.messages
    if let warning = try WholeFile.warning(place, file.format) { warnings.append(warning) }
  }

  private init(_ file: SourceFile, header image: VipsImage, bytes: Int, digest: ContentDigest) {
    format = file.format.rawValue
    width = file.shape.upright.width
    height = file.shape.upright.height
    orientation = file.shape.orientation
    frames = file.shape.frames
    delays = file.shape.frames > 1 ? image.integers("delay") : nil
    loop = file.shape.frames > 1 ? image.integer("loop") : nil
    profile = image.bytes("icc-profile-data").map { ProfileDescription.text(of: $0) ?? "without a name" }
    colorSpace = image.interpretation.rawValue
    bands = image.bands
    depth = image.integer("bits-per-sample") ?? image.format.bytes * 8
    hasAlpha = image.hasAlpha
    alphaUsed = false
    progressive = image.isStoredInPasses
    memory = MemoryEstimate(of: file.facts).bytes
    exif = Self.exif(of: image)
    self.bytes = bytes
    self.digest = digest
    placeholders = nil
    warnings = []
  }

  private static func exif(of image: VipsImage) -> [String: String] {
    var result: [String: String] = [:]
    for field in image.fields where field.hasPrefix("exif-ifd") {
      guard let dash = field.dropFirst(5).firstIndex(of: "-"), let text = image.text(field), text.count < 400
      else { continue }
      let name = String(field[field.index(after: dash)...])
      if result[name] == nil { result[name] = EXIFField.value(in: text) }
    }
    return result
  }
}
