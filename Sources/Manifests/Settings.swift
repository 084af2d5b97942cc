package import ImageBatch
import ImageFilters

/// The value of an option that a manifest's `settings` or a configuration file sets.
package struct ManifestSetting: Sendable, Hashable {
  /// The option's long name without its hyphens, such as `per-host`.
  package var name: String
  /// The value, or those of a list. A switch has `true` or `false`.
  package var values: [String]
  /// The place of the key.
  package var location: ManifestLocation
}

/// The settings that a program knows.
package struct KnownSettings: Sendable {
  /// All names.
  package var names: [String] = []
  /// Names that only a user may set, with the places where, for "set it …".
  package var userOnly: [String: String] = [:]
  /// Names that a manifest sets elsewhere, with the key to use.
  package var keys: [String: String] = [:]
  /// What settings mean, by name, for the schema.
  package var summaries: [String: String] = [:]
  /// The names that a manifest's `settings` may have.
  package var ofManifests: [String] { names.filter { userOnly[$0] == nil && keys[$0] == nil } }
  /// What is wrong with a value; nil for nothing.
  package var problem: @Sendable (ManifestSetting) -> String? = { _ in nil }

  /// Makes a list of no settings.
  package init() {}
}

/// Reads settings: a mapping of option names to values.
struct SettingsReader {
  let known: KnownSettings
  /// Whether the settings come from a manifest, which may be somebody else's.
  let isManifest: Bool

  func settings(_ node: ManifestNode?, log: inout DiagnosticLog) -> [ManifestSetting] {
    (node?.entries ?? []).compactMap { entry in
      guard known.names.contains(entry.key) else {
        log.error(
          entry.place,
          "unknown setting '\(entry.key)'\(NearestName.suggestion(for: entry.key, among: known.names))")
        return nil
      }
      if isManifest, let key = known.keys[entry.key] {
        log.error(entry.place, "a manifest sets '\(entry.key)' by '\(key)'")
        return nil
      }
      if isManifest, let place = known.userOnly[entry.key] {
        log.error(entry.place, "a manifest can't set '\(entry.key)'; set it \(place)")
        return nil
      }
      guard let values = entry.value.scalar.map({ [$0] }) ?? entry.value.list?.compactMap(\.scalar),
        values.count == entry.value.list?.count ?? 1
      else {
        log.error(
          entry.value.place, "'\(entry.key)' must be a string, a number, a boolean, or a list of them")
        return nil
      }
      let location = ManifestLocation(
        file: log.text.name, line: entry.place.line, column: entry.place.column)
      let setting = ManifestSetting(name: entry.key, values: values, location: location)
      if isManifest, let problem = known.problem(setting) {
        log.error(entry.place, problem)
        return nil
      }
      return setting
    }
  }
}

/// A user's configuration file: settings in TOML.
package enum ConfigurationFile {
  /// Reads the settings.
  /// - Parameters:
  ///   - bytes: The file's bytes, as UTF-8.
  ///   - name: The path, for diagnostics and locations.
  /// - Throws: `ManifestErrors` with every mistake.
  package static func settings(
    _ bytes: [UInt8], name: String, known: KnownSettings
  ) throws(ManifestErrors) -> [ManifestSetting] {
    let text = try ManifestText(name: name, bytes: bytes)
    var log = DiagnosticLog(text)
    var settings: [ManifestSetting] = []
    do {
      // Lines may hold credentials, so diagnostics don't show them.
      let root = try TOMLNodes.read(text.text).hidden()
      settings = SettingsReader(known: known, isManifest: false).settings(root, log: &log)
      // A wrong value concerns only commands that have the option, unless the file is refused anyway.
      if !log.isEmpty {
        for setting in settings {
          guard let problem = known.problem(setting) else { continue }
          log.error(
            TextPlace(line: setting.location.line, column: setting.location.column, isSecret: true), problem)
        }
      }
    } catch {
      log.error(error.place, error.message)
    }
    try log.throwIfAny()
    return settings
  }
}
