import ImageCaches
import ImageFilters

extension Encoding {
  /// What `format: auto` chooses from: formats that every browser shows, whose encoders are quick.
  public static let automatic: [OutputFormat] = [.jpeg, .png, .webp]

  /// Resolves settings. `pathExtension` is the output's, in any letter case; it decides the format where the
  /// settings name none, and a format that contradicts it is an error.
  ///
  /// `quality` is for formats that have one; others are written without. Of several formats, each takes the options
  /// that it has.
  public init(
    resolving settings: EncodingSettings, pathExtension: String?
  ) throws(EncodingError) {
    let formats = try Self.formats(settings.format, pathExtension)
    let minSavings = try Self.minSavings(settings.minSavings, formats, settings.format)
    for name in settings.options.keys.sorted() {
      let definitions = formats.compactMap { EncoderTable.definition(of: $0) }
      guard !definitions.contains(where: { $0.option(name) != nil }) else { continue }
      let known = each(definitions.flatMap { $0.options.map(\.name) })
      throw EncodingError(
        setting: "encode.\(name)", code: .unknownSetting,
        "\(definitions.map(\.format.rawValue).joined(separator: ", ")) has no option '\(name)'"
          + NearestName.suggestion(for: name, among: known) + "; it has \(known.joined(separator: ", "))")
    }
    var choices: [Encoding] = []
    for format in formats { choices.append(try Encoding(format, settings)) }
    self = choices.removeFirst().with(
      alternatives: choices, minSavings: minSavings, followsSource: Self.followsSource(settings.format))
  }

  private init(_ format: OutputFormat, _ settings: EncodingSettings) throws(EncodingError) {
    guard let definition = EncoderTable.definition(of: format) else {
      throw EncodingError(setting: "format", "'\(format.rawValue)' can't be written")
    }
    var options: [String: OptionValue] = [:]
    for option in definition.options { options[option.name] = option.defaultValue }
    // The search for the highest quality under a size begins at the quality that is asked for, else at the highest.
    if settings.maxBytes != nil, case .integer(let range, _)? = definition.option("quality")?.kind {
      options["quality"] = .integer(range.upperBound)
    }
    if let quality = settings.quality, let option = definition.option("quality") {
      options["quality"] = try option.value(parsing: quality)
    }
    for (name, text) in settings.options.sorted(by: { $0.key < $1.key }) {
      guard let option = definition.option(name) else { continue }
      do throws(EncodingError) {
        options[name] = try option.value(parsing: text)
      } catch {
        throw EncodingError(setting: "encode.\(name)", error.message)
      }
    }
    self.format = format
    self.options = options
    metadata = try Self.word(settings.metadata, "metadata", default: .copyright)
    profile = try Self.profile(settings.profile)
    background = try Self.background(settings.background)
    frames = try Self.frames(settings.frames)
    keepsOrientation = try Self.keepsOrientation(settings.orient)
    maxBytes = settings.maxBytes
    alternatives = []
    minSavings = 0
    followsSource = false
  }

  private static func followsSource(_ format: String?) -> Bool { format?.lowercased() == "same" }

  /// The formats that are wanted, the preferred one first; never empty.
  private static func formats(
    _ text: String?, _ pathExtension: String?
  ) throws(EncodingError) -> [OutputFormat] {
    guard let text, text.lowercased() == "auto" || followsSource(text) || text.contains(",") else {
      return [try format(text, pathExtension)]
    }
    if let pathExtension, EncoderTable.format(named: pathExtension) != nil {
      throw EncodingError(
        setting: "format",
        "the format '\(text)' is chosen when the picture is written, so the path can't end in '.\(pathExtension)': "
          + "end it in '.{ext}'")
    }
    guard text.lowercased() != "auto" else { return automatic }
    if followsSource(text) { return EncoderTable.all.map(\.format) }
    var formats: [OutputFormat] = []
    for name in text.split(separator: ",", omittingEmptySubsequences: false) {
      let format = try format(name.trimmingBlanks, nil)
      guard !formats.contains(format) else {
        throw EncodingError(setting: "format", "the list '\(text)' has \(format.rawValue) twice")
      }
      formats.append(format)
    }
    return formats
  }

  private static func minSavings(
    _ text: String?, _ formats: [OutputFormat], _ format: String?
  ) throws(EncodingError) -> Double {
    guard let text else { return 0 }
    guard let percent = Double(text.hasSuffix("%") ? text.dropLast() : text[...]), (0..<100).contains(percent)
    else {
      throw EncodingError(
        setting: "min-savings",
        "'min-savings' is a percentage from 0 to below 100, such as 10%, not '\(text)'")
    }
    guard formats.count > 1, !followsSource(format) else {
      throw EncodingError(
        setting: "min-savings", code: .singleFormat,
        "'min-savings' is how much smaller another format must be than the first of a list: give several, such as "
          + "'format: [jpeg, webp]', or auto")
    }
    return percent / 100
  }

  private static func format(_ name: String?, _ pathExtension: String?) throws(EncodingError) -> OutputFormat
  {
    let implied = pathExtension.flatMap { EncoderTable.format(named: $0) }
    guard let name else {
      if let implied { return implied }
      let problem =
        pathExtension.map { "the extension '.\($0)' is no format that can be written" }
        ?? "nothing says the output's format"
      throw EncodingError(
        setting: "format", code: .noFormat, "\(problem); give one of \(allNames), auto or same, as 'format'")
    }
    guard let format = EncoderTable.format(named: name) else {
      throw EncodingError(
        setting: "format",
        "unknown format '\(name)'"
          + NearestName.suggestion(for: name, among: OutputFormat.allCases.map(\.rawValue))
          + "; it is one of \(allNames), several of them, auto, or same")
    }
    if let implied, let pathExtension, implied != format {
      throw EncodingError(
        setting: "format", "the format '\(name)' contradicts the extension '.\(pathExtension)'; leave one out"
      )
    }
    return format
  }

  private static var allNames: String { OutputFormat.allCases.map(\.rawValue).joined(separator: ", ") }

  private static func word<Word: RawRepresentable & CaseIterable>(
    _ text: String?, _ setting: String, default value: Word
  ) throws(EncodingError) -> Word where Word.RawValue == String {
    guard let text else { return value }
    if let word = Word(rawValue: text.lowercased()) { return word }
    let words = Word.allCases.map(\.rawValue).joined(separator: ", ")
    throw EncodingError(setting: setting, "'\(setting)' is one of \(words), not '\(text)'")
  }

  /// In canonical form: two spellings of one colour are one encoding.
  private static func background(_ text: String?) throws(EncodingError) -> String {
    guard let text else { return Colour.white.identifier }
    guard let colour = Colour(text) else {
      throw EncodingError(
        setting: "background", "'background' is a CSS colour name, #rgb or #rrggbb, not '\(text)'")
    }
    return colour.identifier
  }

  private static func profile(_ text: String?) throws(EncodingError) -> ProfilePolicy {
    guard let text else { return .sRGB }
    switch text.lowercased() {
    case "srgb": return .sRGB
    case "keep": return .keep
    default: break
    }
    do throws(AtomicFile.Failure) {
      return .file(path: text, digest: ContentDigest(hashing: try AtomicFile.read(text)))
    } catch {
      throw EncodingError(
        setting: "profile", "'profile' is srgb, keep or an ICC file that can be read, not '\(text)'")
    }
  }

  private static func frames(_ text: String?) throws(EncodingError) -> FrameSelection {
    switch text?.lowercased() {
    case nil, "all": return .all
    case "first": return .first
    case let text?:
      if let count = Int(text), count >= 1 { return .count(count) }
      throw EncodingError(setting: "frames", "'frames' is all, first or a number from 1 on, not '\(text)'")
    }
  }

  private static func keepsOrientation(_ text: String?) throws(EncodingError) -> Bool {
    switch text?.lowercased() {
    case nil, "apply": return false
    case "keep": return true
    case let text?:
      throw EncodingError(setting: "orient", "'orient' is apply or keep, not '\(text)'")
    }
  }
}

/// Names, each once, in the order of their first appearance.
private func each(_ names: [String]) -> [String] {
  names.reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
}

extension Substring {
  fileprivate var trimmingBlanks: String {
    String(drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
  }
}
