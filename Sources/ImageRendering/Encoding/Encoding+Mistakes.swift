extension Encoding {
  /// Every mistake in the settings; each setting is checked by itself, so that one mistake doesn't hide another.
  ///
  /// `init(resolving:pathExtension:)` throws the first of them.
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
      // The other settings are checked against a format that has most of them.
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
    // Which encoder options and how many formats there are depends on the format.
    guard hasFormat else { return found }
    check(\.minSavings)
    for (name, value) in settings.options.sorted(by: { $0.key < $1.key }) {
      var single = base
      single.options = [name: value]
      _ = resolve(single, pathExtension)
    }
    return found
  }

  /// Whether an encoder of these formats has the setting `quality`.
  package var hasQuality: Bool {
    choices.contains { EncoderTable.definition(of: $0.format)?.option("quality") != nil }
  }

  /// Whether an encoder of the formats that the settings choose has the option. If the settings are wrong, which is
  /// reported where they are resolved, this is true.
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
