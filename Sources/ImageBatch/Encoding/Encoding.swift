/// A format with every encoder option resolved: with a rendition, all that an output's bytes depend on.
public struct Encoding: Hashable, Sendable, Codable {
  /// The format.
  public let format: OutputFormat
  /// The canonical text of the format and every option, defaults included.
  public let identifier: String

  /// Resolves settings. `pathExtension` is the output's, in any letter case; it decides the format where the
  /// settings name none, and contradicting it is an error.
  public init(
    resolving settings: EncodingSettings, pathExtension: String?
  ) throws(EncodingError) {
    format = .png
    identifier = "png"
  }
}

/// What is wrong with an output's encoding.
public struct EncodingError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The setting that is wrong: a key of the manifest's output (`format`, `quality`, `encode.progressive` …).
  public let setting: String
  /// One sentence: what is wrong, and what to write instead.
  public let message: String

  /// A complaint about one setting.
  public init(setting: String, _ message: String) {
    self.setting = setting
    self.message = message
  }

  /// The message.
  public var description: String { message }
}
