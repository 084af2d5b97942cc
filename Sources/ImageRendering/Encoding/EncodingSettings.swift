/// An output's encoding settings as written in a manifest or command line, not yet resolved.
public struct EncodingSettings: Hashable, Sendable {
  /// A format's name (`jpeg`, `jpg`, `png` …); several, separated by commas, to keep the smallest file;
  /// `auto` for ``Encoding/automatic``; `same` for the source's format. Default: by the output's extension.
  public var format: String?
  /// The quality, usually 1 to 100. Default: the format's, or the highest if ``maxBytes`` is set.
  public var quality: String?
  /// Encoder options by name, from `--encode KEY=VALUE` or the manifest's `encode` mapping.
  public var options: [String: String] = [:]
  /// Metadata to keep: `none`, `copyright` or `all`. Default: `copyright`.
  public var metadata: String?
  /// The color profile: `srgb`, `keep`, or the path of an ICC file. Default: `srgb`.
  public var profile: String?
  /// Background for transparent pixels when the format has no alpha. Default: white.
  public var background: String?
  /// Frames to keep: `all`, `first`, or a number from 1. Default: `all`.
  public var frames: String?
  /// The EXIF orientation: `apply` rotates the pixels, `keep` leaves tag and pixels unchanged. Formats that
  /// can't hold the tag (AVIF, HEIC, JPEG XL, GIF) get upright pixels. Default: `apply`.
  public var orient: String?
  /// The largest file size in bytes. Default: no limit.
  public var maxBytes: Int?
  /// How much smaller another format's file must be than the first one's, as a percentage: `10%`, `10`.
  /// Default: 0.
  public var minSavings: String?

  /// Creates settings that leave everything at its default.
  public init() {}

  /// Combines two levels of settings, such as a manifest's defaults and an output's own.
  /// - Parameter other: The settings that win. ``options`` are merged by name.
  /// - Returns: These settings, replaced by each setting that `other` has.
  public func overridden(by other: EncodingSettings) -> EncodingSettings {
    // Most levels have no settings, and a manifest combines several for each output.
    if other.isEmpty { return self }
    if isEmpty { return other }
    var result = self
    result.format = other.format ?? format
    result.quality = other.quality ?? quality
    result.options.merge(other.options) { $1 }
    result.metadata = other.metadata ?? metadata
    result.profile = other.profile ?? profile
    result.background = other.background ?? background
    result.frames = other.frames ?? frames
    result.orient = other.orient ?? orient
    result.maxBytes = other.maxBytes ?? maxBytes
    result.minSavings = other.minSavings ?? minSavings
    return result
  }

  /// Whether every setting has its default.
  private var isEmpty: Bool {
    format == nil && quality == nil && options.isEmpty && metadata == nil && profile == nil
      && background == nil
      && frames == nil && orient == nil && maxBytes == nil && minSavings == nil
  }
}
