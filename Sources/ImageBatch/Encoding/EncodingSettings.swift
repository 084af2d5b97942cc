/// What a manifest or a command line says about an output's encoding, as written and not yet resolved.
public struct EncodingSettings: Hashable, Sendable {
  /// A format's name (`jpeg`, `jpg`, `png` …), several separated by commas, of which the smallest file is taken,
  /// `auto` for ``Encoding/automatic``, `same` for the source's own, or nil: by the extension.
  public var format: String?
  /// `quality`, as written.
  public var quality: String?
  /// Encoder options by name, as written: `--encode KEY=VALUE`, or the manifest's `encode` mapping.
  public var options: [String: String] = [:]
  /// `none`, `copyright` or `all`.
  public var metadata: String?
  /// `srgb`, `keep`, or a path of an ICC file.
  public var profile: String?
  /// A colour that alpha is flattened on where the format has none.
  public var background: String?
  /// `all`, `first`, or a number of frames.
  public var frames: String?
  /// `keep` leaves the orientation tag and the pixels as they are.
  public var orient: String?
  /// The encoded size to stay under, in bytes.
  public var maxBytes: Int?

  /// How much smaller than the first format's file another's must be, as a percentage: `10%`, `10`.
  public var minSavings: String?

  /// Settings that say nothing.
  public init() {}

  /// These settings, with `other`'s wherever `other` says something.
  public func overridden(by other: EncodingSettings) -> EncodingSettings {
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
}
