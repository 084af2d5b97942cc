import ImageBatch
import ImageRendering
import Manifests

extension OutputOptions {
  /// Checks the values of typed options that don't depend on the format: no place in a manifest is to blame for them.
  /// - Throws: `CommandError` with all wrong values.
  func checkTypedEncoding() throws {
    var encoding = encoding(setBy: nil)
    let mistakes = encoding.removeMistakes()
    guard mistakes.isEmpty else { throw CommandError(.usage, mistakes.joined(separator: "\n")) }
  }

  /// Reads jobs of sources, and reports the wrong values of typed options together with the mistakes that `read` finds.
  func readingJobs<Jobs>(
    _ options: ManifestOptions, _ read: (ManifestOptions) throws -> Jobs
  ) throws -> Jobs {
    var options = options
    // Without its format, the rest can't be judged.
    if let format = options.encoding.format, EncodingSettings.mistake(in: format, of: "format") != nil {
      try checkTypedEncoding()
    }
    var messages = options.encoding.removeMistakes()
    var jobs: Jobs?
    do {
      jobs = try read(options)
    } catch let error as CommandError where error.status == .usage {
      messages.append(error.message)
    }
    guard let jobs, messages.isEmpty else { throw CommandError(.usage, messages.joined(separator: "\n")) }
    return jobs
  }
}

extension EncodingSettings {
  /// The settings with a text as their value, by the names of their options.
  private static var texts: [(name: String, value: WritableKeyPath<EncodingSettings, String?>)] {
    [
      ("format", \.format), ("quality", \.quality), ("metadata", \.metadata), ("profile", \.profile),
      ("background", \.background), ("frames", \.frames), ("orient", \.orient), ("min-savings", \.minSavings),
    ]
  }

  /// What is wrong with the value of a setting, for any format; nil for nothing, and for settings that aren't text.
  static func mistake(in text: String, of name: String) -> String? {
    guard let value = texts.first(where: { $0.name == name })?.value else { return nil }
    var settings = EncodingSettings()
    settings.format = "jpeg,webp"
    settings[keyPath: value] = text
    return Encoding.mistakes(in: settings, pathExtension: nil).first?.message
  }

  /// Removes the values that are wrong for every format.
  /// - Returns: A message for each, which begins with its option.
  mutating func removeMistakes() -> [String] {
    var messages: [String] = []
    for (name, value) in Self.texts {
      guard let text = self[keyPath: value], let message = Self.mistake(in: text, of: name) else { continue }
      self[keyPath: value] = nil
      let own = "'\(name)'"
      messages.append(
        message.hasPrefix(own) ? "--\(name)" + message.dropFirst(own.count) : "--\(name): \(message)")
    }
    return messages
  }
}
