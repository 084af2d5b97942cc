import ImageFilters

extension Encoding {
  /// All mistakes in the settings. Each setting is checked separately, so that one mistake doesn't hide
  /// another.
  ///
  /// `init(resolving:pathExtension:)` throws only the first one.
  package static func mistakes(
    in settings: EncodingSettings, pathExtension: String?
  ) -> [EncodingSettingsError] {
    var found: [EncodingSettingsError] = []
    func resolve(_ settings: EncodingSettings, _ pathExtension: String?) -> Bool {
      do throws(EncodingSettingsError) {
        _ = try Encoding(resolving: settings, pathExtension: pathExtension)
        return true
      } catch {
        if !found.contains(error) { found.append(error) }
        return false
      }
    }
    var base = EncodingSettings()
    base.format = settings.format
    let hasFormat = resolve(base, pathExtension)
    var pathExtension = pathExtension
    if !hasFormat {
      // Check the other settings against JPEG, which has most of them.
      base.format = OutputFormat.jpeg.rawValue
      pathExtension = nil
    }
    func check<Value>(_ key: WritableKeyPath<EncodingSettings, Value?>) {
      guard let value = settings[keyPath: key] else { return }
      var single = base
      single[keyPath: key] = value
      _ = resolve(single, pathExtension)
    }
    check(\.quality)
    check(\.metadata)
    check(\.profile)
    check(\.background)
    check(\.frames)
    check(\.orient)
    // Encoder options, and whether there are several formats, depend on the format.
    guard hasFormat else {
      base.format = "jpeg,webp"
      check(\.minSavings)
      return found + unknownOptions(in: settings)
    }
    check(\.minSavings)
    for (name, value) in settings.options.sorted(by: { $0.key < $1.key }) {
      var single = base
      single.options = [name: value]
      _ = resolve(single, pathExtension)
    }
    return found
  }

  /// The options that no encoder has, whatever the format.
  private static func unknownOptions(in settings: EncodingSettings) -> [EncodingSettingsError] {
    settings.options.keys.sorted().filter { !isOption($0) }.map { name in
      let known = Set(EncoderTable.all.flatMap { $0.options.map(\.name) }).sorted()
      return EncodingSettingsError(
        setting: "encode.\(name)", code: .unknownSetting,
        "no format has an option '\(name)'" + NearestName.suggestion(for: name, among: known))
    }
  }

  /// Whether the encoder of any of these formats has the option `quality`.
  package var hasQuality: Bool {
    choices.contains { EncoderTable.definition(of: $0.format)?.option("quality") != nil }
  }

  /// Whether any of these formats can hold a color profile.
  package var holdsProfile: Bool {
    choices.contains { EncoderTable.definition(of: $0.format)?.holdsProfile == true }
  }

  /// Whether any format that the settings choose can hold a color profile. True if the settings are
  /// invalid, which ``mistakes(in:pathExtension:)`` reports.
  package static func holdsProfile(_ settings: EncodingSettings, pathExtension: String?) -> Bool {
    do throws(EncodingSettingsError) {
      return try Encoding(resolving: settings, pathExtension: pathExtension).holdsProfile
    } catch {
      return true
    }
  }

  /// Whether the encoder of any format that the settings choose has the option. True if the settings are
  /// invalid, which ``mistakes(in:pathExtension:)`` reports.
  package static func isOption(
    _ name: String, of settings: EncodingSettings, pathExtension: String?
  ) -> Bool {
    do throws(EncodingSettingsError) {
      return try Encoding(resolving: settings, pathExtension: pathExtension).choices.contains {
        $0.option(name) != nil
      }
    } catch {
      return true
    }
  }

  /// Whether any format's encoder has the option.
  package static func isOption(_ name: String) -> Bool {
    EncoderTable.all.contains { $0.option(name) != nil }
  }
}

extension EncodingSettings {
  /// These settings as defaults of an output, without those that don't fit its format.
  /// - Parameters:
  ///   - own: The output's own settings, which win.
  ///   - pathExtension: The output's file extension without the dot; nil for none.
  package func fitting(_ own: EncodingSettings, pathExtension: String?) -> EncodingSettings {
    // Most outputs have no such defaults, and resolving their format takes as long as all else.
    guard self != EncodingSettings() else { return self }
    var result = self
    let implied = pathExtension.flatMap { EncoderTable.format(named: $0) }
    if own.format != nil || implied != nil { result.format = nil }
    var chosen = EncodingSettings()
    chosen.format = own.format ?? result.format
    do throws(EncodingSettingsError) {
      let encoding = try Encoding(resolving: chosen, pathExtension: pathExtension)
      if !encoding.hasQuality { result.quality = nil }
      if !encoding.holdsProfile { result.profile = nil }
      if encoding.choices.count < 2 || encoding.followsSource { result.minSavings = nil }
    } catch {
      // Whoever resolves the output's own settings reports it.
      return result
    }
    return result
  }
}
