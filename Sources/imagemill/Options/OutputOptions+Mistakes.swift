import ImageBatch
import ImageFilters
import ImageRendering
import Manifests

extension OutputOptions {
  /// The wrong values of typed options that don't depend on the format: no place in a manifest is to blame for them.
  var typedMistakes: [String] {
    var encoding = encoding(setBy: nil)
    return encoding.removeMistakes()
  }

  /// Reads jobs of sources, and reports the mistakes of typed options together with those that `read` finds.
  /// - Parameters:
  ///   - options: The settings, without chain and template.
  ///   - template: The template of outputs.
  func readingJobs<Jobs>(
    _ options: ManifestOptions, template: () throws -> OutputTemplate?,
    _ read: (ManifestOptions) throws -> Jobs
  ) throws -> Jobs {
    var options = options
    var mistakes = UsageMistakes()
    if let chain = try mistakes.noting(chain) { options.appendedChain = chain }
    let template = try mistakes.noting(template)
    mistakes.add(typedMistakes)
    // Without its format, the rest can't be judged.
    let isFormatWrong =
      options.encoding.format.map { EncodingSettings.mistake(in: $0, of: "format") != nil } ?? false
    guard let template, !isFormatWrong else { throw mistakes.error }
    _ = options.encoding.removeMistakes()
    options.outputTemplate = template
    let jobs = try mistakes.noting { try read(options) }
    guard let jobs, mistakes.messages.isEmpty else { throw mistakes.error }
    return jobs
  }

  /// The encoding of an output.
  /// - Parameter template: Its path; nil for standard output.
  /// - Throws: `CommandError` with everything that is wrong: no format is given, or a setting, the path or the chain doesn't
  ///   fit it.
  func encoding(for template: OutputTemplate?, chain: FilterChain) throws -> Encoding {
    var given = encoding
    var mistakes = UsageMistakes(given.removeMistakes())
    // The other settings don't depend on the format that a wrong one would have been.
    let isFormatWrong = given.format != encoding.format
    let pathExtension = isFormatWrong ? nil : template?.literalPathExtension
    let settings = encoding(setBy: .config).overridden(by: encoding(setBy: .environment))
      .fitting(given, pathExtension: pathExtension).overridden(by: given)
    do throws(EncodingSettingsError) {
      let encoding = try Encoding(resolving: settings, pathExtension: pathExtension)
      try encoding.check(chain)
      try template?.checkFormat(of: encoding)
      guard given.quality == nil || encoding.hasQuality else {
        throw EncodingSettingsError(
          setting: "quality", code: .unknownSetting,
          "\(encoding.formatText) has no quality: leave out --quality")
      }
      if mistakes.messages.isEmpty { return encoding }
    } catch {
      var found = Encoding.mistakes(in: settings, pathExtension: pathExtension)
      if found.isEmpty { found = [error] }
      mistakes.add(
        found.filter { !isFormatWrong || $0.code != .noFormat }.map {
          Remedies.message(ofSources: $0, toStandardOutput: template == nil)
        })
    }
    throw mistakes.error
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
