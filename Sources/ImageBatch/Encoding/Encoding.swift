public import ImageCaches
import Vips

/// A format with every encoder option resolved: with a rendition, all that an output's bytes depend on.
///
/// Where several formats may be, it is the first of them, and the others are its alternatives.
public struct Encoding: Hashable, Sendable, Codable {
  /// The format; the first where there are several.
  public let format: OutputFormat
  /// What the picture may be written in instead, where that is smaller. They have no alternatives themselves.
  public let alternatives: [Encoding]
  /// How much smaller than the first format's file an alternative's must be, as a share of it, from 0.
  public let minSavings: Double
  /// Whether it is the source's own format that is written, with the options that are given here for it.
  public let followsSource: Bool
  /// Every option of the format's encoder, by name (``EncoderTable``).
  public let options: [String: OptionValue]
  /// What is kept of the source's metadata.
  public let metadata: MetadataPolicy
  /// The colour profile of the output.
  public let profile: ProfilePolicy
  /// The colour, as written, that alpha is flattened on where the format can't hold it.
  public let background: String
  /// Which frames of an animation are kept, where the format can hold them.
  public let frames: FrameSelection
  /// Whether the orientation tag and the pixels are left as they are.
  public let keepsOrientation: Bool
  /// The size to stay under, in bytes.
  public let maxBytes: Int?

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

  /// Itself with others beside it.
  func with(alternatives: [Encoding], minSavings: Double, followsSource: Bool = false) -> Encoding {
    Encoding(self, alternatives: alternatives, minSavings: minSavings, followsSource: followsSource)
  }

  /// The encoding in a source's own format; nil where that can't be written.
  func following(_ format: ImageFormat) -> Encoding? {
    choices.first { $0.format.rawValue == format.rawValue }
  }

  /// Itself without alternatives.
  var alone: Encoding { alternatives.isEmpty ? self : with(alternatives: [], minSavings: 0) }

  /// The value of an option; nil where the format has none of that name.
  public func option(_ name: String) -> OptionValue? { options[name] }

  /// The canonical text of the format and every option, defaults included: one encoding, one identifier.
  public var identifier: String {
    guard !alternatives.isEmpty else { return ownIdentifier }
    let members = choices.map(\.ownIdentifier).joined(separator: "|")
    if followsSource { return "same|\(members)" }
    return "smallest:min-savings=\(minSavings)|\(members)"
  }

  /// Itself without alternatives, and its alternatives.
  public var choices: [Encoding] { [alone] + alternatives }

  /// The format's name, or the names of all that it may be, separated by commas; `same` for the source's own.
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

/// What is kept of a source's metadata.
public enum MetadataPolicy: String, Sendable, Codable, CaseIterable {
  /// Nothing.
  case none
  /// Who made it and who owns it.
  case copyright
  /// Everything, positions too, but for the orientation that has been applied.
  case all
}

/// The colour profile of an output.
public enum ProfilePolicy: Sendable, Hashable, Codable {
  /// sRGB, and no profile embedded.
  case sRGB
  /// The source's own, where the chain and the format allow it.
  case keep
  /// An ICC file's, embedded; the digest is of its bytes.
  case file(path: String, digest: ContentDigest)

  var identifier: String {
    switch self {
    case .sRGB: "srgb"
    case .keep: "keep"
    case .file(_, let digest): digest.hex
    }
  }
}

/// Which frames of an animation are kept.
public enum FrameSelection: Sendable, Hashable, Codable {
  case all
  case first
  /// The first so many.
  case count(Int)

  var identifier: String {
    switch self {
    case .all: "all"
    case .first: "first"
    case .count(let count): "\(count)"
    }
  }
}

/// What is wrong with an output's encoding.
public struct EncodingError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The setting that is wrong: a key of the manifest's output (`format`, `quality`, `encode.progressive` …).
  public let setting: String
  /// One sentence: what is wrong, and what to write instead.
  public let message: String

  /// What kind of mistake.
  public enum Code: Sendable, CaseIterable {
    /// The value is none that the setting takes, or doesn't go with the others.
    case badValue
    /// Nothing knows the setting's name, so that no value for it could be right.
    case unknownSetting
    /// Neither a setting nor the output's extension says the format.
    case noFormat
    /// A setting that chooses among several formats, where one is given.
    case singleFormat
  }

  /// What kind of mistake.
  public let code: Code

  /// A complaint about one setting.
  public init(setting: String, code: Code = .badValue, _ message: String) {
    self.setting = setting
    self.code = code
    self.message = message
  }

  /// The message.
  public var description: String { message }
}
