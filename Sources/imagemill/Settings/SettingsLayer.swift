import Foundation
import ImageBatch
import ImageFilters
import Manifests
import SystemIO

/// The settings of one place.
struct SettingsLayer: Sendable {
  /// Where settings come from, from the lowest precedence to the highest. The command line goes before all of them.
  enum Origin: String, Sendable, Encodable, CaseIterable {
    case `default`, config, manifest, environment
  }

  struct Value: Sendable {
    let name: String
    /// One text, or those of a list.
    let texts: [String]
    /// The variable, or `FILE:LINE:COLUMN`.
    let place: String
    /// The place in a file.
    var location: ManifestLocation?
  }

  let origin: Origin
  var values: [Value] = []

  subscript(name: String) -> Value? { values.last { $0.name == name } }

  // MARK: Places

  /// The settings of the environment. An empty variable counts as unset, as in the XDG specification.
  static func environment(_ variables: [String: String]) -> SettingsLayer {
    let values = Setting.all.compactMap { setting -> Value? in
      guard let text = variables[setting.variable], !text.isEmpty else { return nil }
      return Value(name: setting.name, texts: [text], place: setting.variable)
    }
    return SettingsLayer(origin: .environment, values: values)
  }

  /// The variables that resemble a setting's and are none, sorted, each with the variable that was probably meant.
  static func misspelled(_ variables: [String: String]) -> [(name: String, meant: String)] {
    let prefix = "IMAGEMILL_"
    let given = variables.filter { $0.key.hasPrefix(prefix) && !$0.value.isEmpty }.keys
    guard !given.isEmpty else { return [] }
    let settings = Dictionary(Setting.all.map { ($0.name, $0.variable) }) { first, _ in first }
    return given.sorted().filter { !settings.values.contains($0) }.compactMap { name in
      let word = name.dropFirst(prefix.count).lowercased().replacing("_", with: "-")
      guard let near = NearestName.of(word, in: settings.keys), let meant = settings[near] else { return nil }
      return (name, meant)
    }
  }

  /// The settings of manifests; later ones override earlier ones.
  static func manifests(_ settings: [ManifestSetting]) -> SettingsLayer {
    SettingsLayer(origin: .manifest, values: settings.map(Value.init))
  }

  /// The path of the configuration file (XDG Base Directory Specification); nil if there is no home.
  static func configurationFile(_ variables: [String: String]) -> String? {
    if let base = variables["XDG_CONFIG_HOME"], base.hasPrefix("/") { return base + "/imagemill/config.toml" }
    guard let home = variables["HOME"], !home.isEmpty else { return nil }
    return home + "/.config/imagemill/config.toml"
  }

  /// The settings of the configuration file; none if there is no such file.
  /// - Throws: `ManifestCommandError` with every mistake in it, `CommandError` if it can't be read.
  static func configuration(_ variables: [String: String]) throws -> SettingsLayer {
    guard let path = configurationFile(variables), File.exists(path) else {
      return SettingsLayer(origin: .config)
    }
    let bytes: [UInt8]
    do throws(SystemError) {
      bytes = try File.contents(of: path, limit: 1 << 20)
    } catch {
      throw CommandError(.usage, "can't read the configuration file \(path): \(error.text)")
    }
    do throws(ManifestErrors) {
      let settings = try ConfigurationFile.settings(bytes, name: path, known: Setting.known)
      return SettingsLayer(origin: .config, values: settings.map(Value.init))
    } catch {
      throw ManifestCommandError(error)
    }
  }
}

extension SettingsLayer.Value {
  init(_ setting: ManifestSetting) {
    let location = setting.location
    self.init(
      name: setting.name, texts: setting.values,
      place: "\(location.file):\(location.line):\(location.column)", location: location)
  }

  /// The arguments that set an option.
  /// - Returns: nil if the value of a switch is neither yes nor no, or the value of another option is empty: the parser
  ///   would take the next argument for it.
  func arguments(isFlag: Bool) -> [String]? {
    guard isFlag else { return texts.contains("") ? nil : texts.map { "--\(name)=\($0)" } }
    switch texts.map({ $0.lowercased() }) {
    case ["1"], ["true"], ["yes"], ["on"]: return ["--\(name)"]
    case ["0"], ["false"], ["no"], ["off"]: return []
    default: return nil
    }
  }
}
