public import ImageCaches
import ImageFilters
import Vips

/// All that can be said of one image file: what `imagemill inspect` prints.
public struct ImageInspection: Sendable, Hashable, Codable {
  /// By its signature: `jpeg`, `png` …
  public var format: String
  /// In pixels, as a viewer sees it.
  public var width: Int
  /// In pixels, of one frame, as a viewer sees it.
  public var height: Int
  /// The EXIF orientation, 1 to 8.
  public var orientation: Int
  /// At least 1.
  public var frames: Int
  /// How long each frame is shown, in milliseconds; nil for a still picture.
  public var delays: [Int]?
  /// How often an animation plays, 0 for ever; nil for a still picture.
  public var loop: Int?
  /// What the embedded ICC profile calls itself; nil where there is none.
  public var profile: String?
  /// libvips' name for what the numbers mean: `srgb`, `b-w`, `cmyk` …
  public var colourSpace: String
  /// Numbers in each pixel, the alpha among them.
  public var bands: Int
  /// Bits of each number.
  public var depth: Int
  /// Whether there is an alpha channel.
  public var hasAlpha: Bool
  /// Whether any pixel of it isn't opaque.
  public var alphaUsed: Bool
  /// Whether it is stored in several passes, from coarse to fine.
  public var progressive: Bool
  /// What decoding it takes, in bytes: all frames, at full size.
  public var memory: Int
  /// EXIF fields by name, as text, longer ones left out.
  public var exif: [String: String]
  /// The file's size.
  public var bytes: Int
  /// The file's SHA-256.
  public var digest: ContentDigest
  /// On request.
  public var placeholders: Placeholders?
  /// What the decoder complained of without failing.
  public var warnings: [String]

  /// Inspects a file.
  /// - Parameters:
  ///   - path: The file's.
  ///   - wantsPlaceholders: Whether ``placeholders`` are computed, which takes all pixels.
  ///   - limits: What is refused from the header; pixels are decoded for `alphaUsed` and placeholders.
  /// - Throws: `JobError` of stage `decode` where it is no picture, or a damaged one.
  public init(
    path: String, limits: RenderLimits = RenderLimits(), placeholders wantsPlaceholders: Bool = false
  ) throws(JobError) {
    let log = VipsLog()
    let file = try SourceFile(path: path, limits: limits)
    try WholeFile.check(path, file.format)
    let (bytes, digest) = try FileReading.digest(of: path)
    do {
      let image = try file.loader.open(
        path, sequential: false, failOn: file.loader.strictness, frames: file.shape.frames)
      self.init(file, header: image, bytes: bytes, digest: digest)
      if image.hasAlpha {
        let alpha = try image.extractingBands(from: image.bands - 1, count: 1)
        let opaque = image.format == .ushort ? 65_535.0 : 255
        alphaUsed = try alpha.measuring("min") < opaque
      }
      if wantsPlaceholders {
        let first = try image.cropped(x: 0, y: 0, width: image.width, height: image.pageHeight)
        placeholders = try PlaceholderMaking(first.upright()).placeholders()
      }
    } catch let error as JobError {
      throw error
    } catch let error as VipsError {
      throw DecodeFailure.error(error, file.format)
    } catch {
      throw JobError(code: .corrupt, stage: .decode, message: "the picture can't be read: \(error)")
    }
    warnings = log.messages
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
    colourSpace = image.interpretation.rawValue
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
