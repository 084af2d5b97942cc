public import ImageCaches
import Vips

/// A format with every encoder option resolved. An output's bytes depend on it and the rendition only.
///
/// With several candidate formats, this is the first one, and ``alternatives`` holds the others.
public struct Encoding: Hashable, Sendable, Codable {
  /// The format; with several candidates, the first.
  public let format: OutputFormat
  /// The other candidate formats. They have no alternatives themselves.
  public let alternatives: [Encoding]
  /// How much smaller an alternative's file must be than the first format's, as a fraction from 0 to below 1.
  public let minSavings: Double
  /// Whether the output is written in the source's format, with that choice's options.
  public let followsSource: Bool
  /// The value of every option of the format's encoder, by name (``EncoderTable``).
  public internal(set) var options: [String: OptionValue]
  /// Which of the source's metadata is kept.
  public internal(set) var metadata: MetadataPolicy
  /// The color profile of the output; sRGB for a format that can't hold one.
  public let profile: ProfilePolicy
  /// The background color for alpha if the format doesn't support it.
  public internal(set) var background: String
  /// Which frames of an animation are kept, if the format supports several.
  public internal(set) var frames: FrameSelection
  /// Whether the orientation tag is kept instead of applied to the pixels. False for formats that can't hold
  /// the tag, and for their alternatives.
  public let keepsOrientation: Bool
  /// The largest file size in bytes; nil if there is no limit.
  public internal(set) var maxBytes: Int?

  fileprivate init(
    _ other: Encoding, alternatives: [Encoding], minSavings: Double, followsSource: Bool
  ) {
    self.followsSource = followsSource
    format = other.format
    options = other.options
    metadata = other.metadata
    profile = other.profile
    background = other.background
    frames = other.frames
    keepsOrientation = other.keepsOrientation
    maxBytes = other.maxBytes
    self.alternatives = alternatives
    self.minSavings = minSavings
  }

  /// This encoding with alternatives.
  func with(alternatives: [Encoding], minSavings: Double, followsSource: Bool = false) -> Encoding {
    Encoding(self, alternatives: alternatives, minSavings: minSavings, followsSource: followsSource)
  }

  /// The choice with a source's format; nil if there is none.
  func following(_ format: ImageFormat) -> Encoding? {
    choices.first { $0.format.rawValue == format.rawValue }
  }

  /// This encoding without alternatives.
  var alone: Encoding { alternatives.isEmpty ? self : with(alternatives: [], minSavings: 0) }

  /// The value of an option.
  /// - Parameter name: The option's name in ``EncoderTable``.
  /// - Returns: nil if the encoder has no option of that name.
  public func option(_ name: String) -> OptionValue? { options[name] }

  /// The canonical text of the format and every option, defaults included. Part of cache keys.
  public var identifier: String {
    guard !alternatives.isEmpty else { return ownIdentifier }
    let members = choices.map(\.ownIdentifier).joined(separator: "|")
    if followsSource { return "same|\(members)" }
    return "smallest:min-savings=\(minSavings)|\(members)"
  }

  /// This encoding without alternatives, followed by the alternatives.
  public var choices: [Encoding] { [alone] + alternatives }

  /// The names of the candidate formats, separated by commas; `same` for the source's format.
  public var formatText: String {
    followsSource ? "same" : choices.map(\.format.rawValue).joined(separator: ",")
  }

  private var ownIdentifier: String {
    let names = EncoderTable.definition(of: format)?.options.map(\.name) ?? []
    var parts = [format.rawValue]
    for name in names { parts.append("\(name)=\(options[name]?.description ?? "")") }
    parts.append("metadata=\(metadata.rawValue)")
    parts.append("profile=\(profile.identifier)")
    parts.append("background=\(background)")
    parts.append("frames=\(frames.identifier)")
    parts.append("orient=\(keepsOrientation ? "keep" : "apply")")
    if let maxBytes { parts.append("max-bytes=\(maxBytes)") }
    return parts.joined(separator: ":")
  }
}

/// Which of a source's metadata an output keeps.
public enum MetadataPolicy: String, Sendable, Codable, CaseIterable {
  /// No metadata at all.
  case none
  /// The creator and the copyright notice only.
  case copyright
  /// All metadata, including GPS positions, except an orientation that has been applied.
  case all
}

/// The color profile of an output.
public enum ProfilePolicy: Sendable, Hashable, Codable {
  /// Pixels in sRGB, without an embedded profile.
  case sRGB
  /// The source's profile, if the chain and the format allow it.
  case keep
  /// An ICC file's profile, embedded. `digest` is the file's.
  case file(path: String, digest: ContentDigest)

  var identifier: String {
    switch self {
    case .sRGB: "srgb"
    case .keep: "keep"
    case .file(_, let digest): digest.hex
    }
  }
}

/// Which frames of an animation an output keeps.
public enum FrameSelection: Sendable, Hashable, Codable {
  /// Every frame.
  case all
  /// The first frame only; the output is a still image.
  case first
  /// The given number of frames from the start, from 1.
  case count(Int)

  var identifier: String {
    switch self {
    case .all: "all"
    case .first: "first"
    case .count(let count): "\(count)"
    }
  }
}

/// An error in an output's encoding settings.
public struct EncodingSettingsError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The invalid setting, a key of the manifest's output (`format`, `quality`, `encode.progressive` …).
  public let setting: String
  /// What is wrong and what to write instead, in one sentence.
  public let message: String

  /// The kinds of error, for programs that advise the user.
  public enum Code: Sendable, CaseIterable {
    /// The value is invalid or conflicts with another setting.
    case badValue
    /// The encoder has no such option, or the setting doesn't exist.
    case unknownSetting
    /// Neither a setting nor the output's extension names the format.
    case noFormat
    /// The setting needs several formats, but there is one.
    case singleFormat
  }

  /// The kind of error, such as ``Code/badValue``.
  public let code: Code

  /// What is wrong, for programs with advice of their own; nil if that is the whole message.
  package internal(set) var problem: String?

  /// Creates an error about a setting.
  /// - Parameters:
  ///   - setting: The invalid setting, a key of the manifest's output.
  ///   - code: The kind of error. Default: `badValue`.
  ///   - message: What is wrong and what to write instead, in one sentence.
  public init(setting: String, code: Code = .badValue, _ message: String) {
    self.setting = setting
    self.code = code
    self.message = message
  }

  /// The message, without the setting.
  public var description: String { message }
}
