import ImageCaches
import ImageFilters

extension Encoding {
  /// The candidates of `format: auto`: every browser supports them, and their encoders are fast.
  public static let automatic: [OutputFormat] = [.jpeg, .png, .webp]

  /// Resolves settings. Candidate formats without `quality` or one of `options` ignore it.
  /// - Parameters:
  ///   - settings: The settings as written.
  ///   - pathExtension: The output's file extension without the dot, in any case. It selects the format if
  ///     the settings name none. nil for no extension.
  /// - Throws: `EncodingSettingsError` if a setting is invalid or the format contradicts the extension.
  public init(
    resolving settings: EncodingSettings, pathExtension: String?
  ) throws(EncodingSettingsError) {
    let formats = try Self.formats(settings.format, pathExtension)
    let minSavings = try Self.minSavings(settings.minSavings, formats, settings.format)
    for name in settings.options.keys.sorted() {
      let definitions = formats.compactMap { EncoderTable.definition(of: $0) }
      guard !definitions.contains(where: { $0.option(name) != nil }) else { continue }
      let known = each(definitions.flatMap { $0.options.map(\.name) })
      let isOne = definitions.count == 1
      throw EncodingSettingsError(
        setting: "encode.\(name)", code: .unknownSetting,
        "\(definitions.map(\.format.rawValue).joined(separator: ", ")) \(isOne ? "has" : "have") no option '\(name)'"
          + NearestName.suggestion(for: name, among: known)
          + "; \(isOne ? "it has" : "they have") \(known.joined(separator: ", "))")
    }
    try Self.checkUnusedQuality(settings.quality, formats)
    try Self.checkUnusedProfile(settings.profile, formats)
    let followsSource = Self.followsSource(settings.format)
    // Candidates share their pixels, which are upright if one of the formats needs that.
    let definitions = formats.compactMap { EncoderTable.definition(of: $0) }
    let mayKeepOrientation = followsSource || definitions.allSatisfy(\.holdsOrientation)
    var choices: [Encoding] = []
    for format in formats {
      choices.append(try Encoding(format, settings, mayKeepOrientation: mayKeepOrientation))
    }
    self = choices.removeFirst().with(
      alternatives: choices, minSavings: minSavings, followsSource: followsSource)
  }

  private init(
    _ format: OutputFormat, _ settings: EncodingSettings, mayKeepOrientation: Bool
  ) throws(EncodingSettingsError) {
    guard let definition = EncoderTable.definition(of: format) else {
      throw EncodingSettingsError(setting: "format", "'\(format.rawValue)' can't be written")
    }
    var options: [String: OptionValue] = [:]
    for option in definition.options { options[option.name] = option.defaultValue }
    // The `max-bytes` search starts at the requested quality (default: the highest).
    if settings.maxBytes != nil, case .integer(let range, _)? = definition.option("quality")?.kind {
      options["quality"] = .integer(range.upperBound)
    }
    if let quality = settings.quality, let option = definition.option("quality") {
      options["quality"] = try option.value(parsing: quality)
    }
    for (name, text) in settings.options.sorted(by: { $0.key < $1.key }) {
      guard let option = definition.option(name) else { continue }
      do throws(EncodingSettingsError) {
        options[option.name] = try option.value(parsing: text)
      } catch {
        throw EncodingSettingsError(setting: "encode.\(name)", error.message)
      }
    }
    self.format = format
    self.options = options
    metadata = try Self.word(settings.metadata, "metadata", default: .copyright)
    let wantedProfile = try Self.profile(settings.profile)
    profile = definition.holdsProfile ? wantedProfile : .sRGB
    background = try Self.background(settings.background)
    frames = try Self.frames(settings.frames)
    let wantsOrientation = try Self.keepsOrientation(settings.orient)
    keepsOrientation = wantsOrientation && mayKeepOrientation && definition.holdsOrientation
    maxBytes = settings.maxBytes
    alternatives = []
    minSavings = 0
    followsSource = false
  }

  /// Checks the range of a quality that no format has, because nothing else parses it.
  private static func checkUnusedQuality(
    _ text: String?, _ formats: [OutputFormat]
  ) throws(EncodingSettingsError) {
    let used = formats.contains { EncoderTable.definition(of: $0)?.option("quality") != nil }
    guard let text, !used, let option = EncoderTable.definition(of: .jpeg)?.option("quality") else { return }
    _ = try option.value(parsing: text)
  }

  /// Refuses an ICC file that no format can hold.
  private static func checkUnusedProfile(
    _ text: String?, _ formats: [OutputFormat]
  ) throws(EncodingSettingsError) {
    let isUsed = formats.contains { EncoderTable.definition(of: $0)?.holdsProfile == true }
    guard let text, !isUsed, case .file = try Self.profile(text) else { return }
    let names = formats.map(\.rawValue).joined(separator: ", ")
    throw EncodingSettingsError(
      setting: "profile",
      "\(names) can't hold the color profile '\(text)'; use srgb, or write another format")
  }

  private static func followsSource(_ format: String?) -> Bool { format?.lowercased() == "same" }

  /// The candidate formats, the preferred one first; never empty.
  private static func formats(
    _ text: String?, _ pathExtension: String?
  ) throws(EncodingSettingsError) -> [OutputFormat] {
    guard let text, text.lowercased() == "auto" || followsSource(text) || text.contains(",") else {
      return [try format(text, pathExtension)]
    }
    if let pathExtension, EncoderTable.format(named: pathExtension) != nil {
      throw EncodingSettingsError(
        setting: "format",
        "the format '\(text)' is chosen during encoding, so the path can't end in '.\(pathExtension)'; "
          + "end it in '.{ext}'")
    }
    guard text.lowercased() != "auto" else { return automatic }
    if followsSource(text) { return EncoderTable.all.map(\.format) }
    var formats: [OutputFormat] = []
    for name in text.split(separator: ",", omittingEmptySubsequences: false) {
      let format = try format(name.trimmingBlanks, nil)
      guard !formats.contains(format) else {
        throw EncodingSettingsError(setting: "format", "the list '\(text)' names \(format.rawValue) twice")
      }
      formats.append(format)
    }
    return formats
  }

  private static func minSavings(
    _ text: String?, _ formats: [OutputFormat], _ format: String?
  ) throws(EncodingSettingsError) -> Double {
    guard let text else { return 0 }
    guard let percent = Double(text.hasSuffix("%") ? text.dropLast() : text[...]), (0..<100).contains(percent)
    else {
      throw EncodingSettingsError(
        setting: "min-savings",
        "'min-savings' must be a percentage from 0 to below 100, such as 10%, not '\(text)'")
    }
    guard formats.count > 1, !followsSource(format) else {
      throw EncodingSettingsError(
        setting: "min-savings", code: .singleFormat,
        "'min-savings' needs several formats to compare; give a list, such as 'format: [jpeg, webp]', or auto"
      )
    }
    return percent / 100
  }

  private static func format(_ name: String?, _ pathExtension: String?) throws(EncodingSettingsError)
    -> OutputFormat
  {
    let implied = pathExtension.flatMap { EncoderTable.format(named: $0) }
    guard let name else {
      if let implied { return implied }
      let problem =
        pathExtension.map { "no writable format has the extension '.\($0)'" }
        ?? "the output has no format"
      var error = EncodingSettingsError(
        setting: "format", code: .noFormat, "\(problem); give one of \(allNames), auto or same, as 'format'")
      error.problem = problem
      throw error
    }
    guard let format = EncoderTable.format(named: name) else {
      throw EncodingSettingsError(
        setting: "format",
        "unknown format '\(name)'"
          + NearestName.suggestion(for: name, among: OutputFormat.allCases.map(\.rawValue))
          + "; use one of \(allNames), a list of them, auto or same")
    }
    if let implied, let pathExtension, implied != format {
      throw EncodingSettingsError(
        setting: "format", "the format '\(name)' contradicts the extension '.\(pathExtension)'; leave one out"
      )
    }
    return format
  }

  private static var allNames: String { OutputFormat.allCases.map(\.rawValue).joined(separator: ", ") }

  private static func word<Word: RawRepresentable & CaseIterable>(
    _ text: String?, _ setting: String, default value: Word
  ) throws(EncodingSettingsError) -> Word where Word.RawValue == String {
    guard let text else { return value }
    if let word = Word(rawValue: text.lowercased()) { return word }
    let words = Word.allCases.map(\.rawValue).joined(separator: ", ")
    throw EncodingSettingsError(setting: setting, "'\(setting)' must be one of \(words), not '\(text)'")
  }

  /// The color's canonical form, so that two spellings of one color make one encoding.
  private static func background(_ text: String?) throws(EncodingSettingsError) -> String {
    guard let text else { return Color.white.identifier }
    guard let color = Color(text) else {
      throw EncodingSettingsError(
        setting: "background", "'background' must be a CSS color name, #rgb or #rrggbb, not '\(text)'")
    }
    return color.identifier
  }

  private static func profile(_ text: String?) throws(EncodingSettingsError) -> ProfilePolicy {
    guard let text else { return .sRGB }
    switch text.lowercased() {
    case "srgb": return .sRGB
    case "keep": return .keep
    default: break
    }
    let bytes: [UInt8]
    do throws(ProfileFile.Failure) {
      bytes = try ProfileFile.contents(of: text)
    } catch {
      guard case .refused(let refusal) = error else {
        throw EncodingSettingsError(
          setting: "profile", "'profile' must be srgb, keep or a readable ICC file, not '\(text)'")
      }
      throw refused(text, refusal)
    }
    if let refusal = ColorProfile(bytes).outputRefusal { throw refused(text, refusal) }
    return .file(path: text, digest: ContentDigest(hashing: bytes))
  }

  private static func refused(_ profile: String, _ reason: String) -> EncodingSettingsError {
    EncodingSettingsError(
      setting: "profile", "'profile' must be srgb, keep or an ICC file for RGB; '\(profile)' \(reason)")
  }

  private static func frames(_ text: String?) throws(EncodingSettingsError) -> FrameSelection {
    switch text?.lowercased() {
    case nil, "all": return .all
    case "first": return .first
    case let text?:
      if let count = Int(text), count >= 1 { return .count(count) }
      throw EncodingSettingsError(
        setting: "frames", "'frames' must be all, first or a whole number of 1 or more, not '\(text)'")
    }
  }

  private static func keepsOrientation(_ text: String?) throws(EncodingSettingsError) -> Bool {
    switch text?.lowercased() {
    case nil, "apply": return false
    case "keep": return true
    case let text?:
      throw EncodingSettingsError(setting: "orient", "'orient' must be apply or keep, not '\(text)'")
    }
  }
}

/// The distinct names, in order of first appearance.
private func each(_ names: [String]) -> [String] {
  names.reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
}

extension Substring {
  fileprivate var trimmingBlanks: String {
    String(drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
  }
}
