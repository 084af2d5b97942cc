import ArgumentParser
import Foundation
import ImageBatch
import ImageDownloads
import Manifests
import SystemIO

/// Shows the settings.
struct ConfigCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "config", abstract: "Show every setting, its value, and where the value comes from.",
    usage: "imagemill config [<options>] [<manifest> ...]",
    discussion: """
      A setting is an option that also has a variable (IMAGEMILL_PER_HOST=2) and a key in \
      $XDG_CONFIG_HOME/imagemill/config.toml (per-host = 2). A manifest may set some of them; see \
      imagemill-manifest(5). The command line overrides the environment, the environment the manifest, and the \
      manifest the configuration file. On the command line or in the environment, an output option such as quality \
      overrides the manifest's defaults, but not a key of a job or an output. The values are those that 'imagemill run' would use. \
      A manifest's defaults override the configuration file, but are not shown. To turn off a flag for one command, set \
      its variable to no: IMAGEMILL_OFFLINE=no. Credentials are hidden.

        imagemill config
        imagemill config --json images.yaml
      """)

  @Argument(
    help: ArgumentHelp(
      "Manifests whose settings are included (default: imagemill.yaml, .yml, .toml or .json in this directory).",
      valueName: "manifest"),
    completion: .file(extensions: ManifestArguments.extensions))
  var manifests: [String] = []

  @Flag(help: "Print one JSON object.") var json = false

  @OptionGroup(title: "Manifest") var arguments: ManifestArguments

  func run() throws {
    let settings = try settings()
    // A wrong value is an error here, as it is in a run.
    let layers = Invocation.current.with(settings).layers
    _ = try Invocation(typed: [RunCommand._commandName], layers: layers).parse()
    let rows = try Self.rows(of: settings)
    if json {
      let text = String(
        decoding: try JSONText.document(Document(settings: rows), pretty: true), as: UTF8.self)
      try StandardOutput.write(text + "\n")
      return
    }
    let names = rows.map(\.name.count).max() ?? 0
    let values = min(40, rows.map(\.text.count).max() ?? 0)
    for row in rows {
      let line =
        "\(row.name.padded(to: names + 1)) \(row.text.padded(to: values + 1)) \(row.place ?? row.origin.rawValue)"
      try StandardOutput.write(line + "\n")
    }
  }

  private func settings() throws -> [ManifestSetting] {
    if manifests.isEmpty, !ManifestArguments.defaultNames.contains(where: { File.exists($0) }) { return [] }
    var settings: [ManifestSetting] = []
    for path in try ManifestArguments.paths(manifests) {
      var options = arguments.options(for: path)
      // A list has no settings, and needs no template to be opened.
      options.outputTemplate = try OutputOptions.template("{index}.png")
      guard case .document(let manifest) = try ManifestArguments.open(path, options) else { continue }
      settings += manifest.settings
    }
    return settings
  }

  /// The settings of `run`, in the order of ``Setting/all``.
  private static func rows(of settings: [ManifestSetting]) throws -> [Row] {
    let invocation = Invocation.current.with(settings)
    let options = try OptionTable(RunCommand.self)
    return Setting.all.compactMap { setting in
      guard let option = options[setting.name] else { return nil }
      for layer in invocation.layers.reversed() {
        guard let value = layer[setting.name] else { continue }
        return Row(
          name: setting.name, variable: setting.variable,
          values: value.texts.map { hidden($0, of: setting.name) },
          origin: layer.origin, place: value.place, location: value.location)
      }
      let value = option.isFlag ? "false" : option.defaultValue
      return Row(
        name: setting.name, variable: setting.variable, values: value.map { [$0] } ?? [], origin: .default,
        defaultSummary: option.defaultSummary)
    }
  }

  /// A value without its secret part.
  private static func hidden(_ value: String, of name: String) -> String {
    switch name {
    case "user", "header", "remote-cache-header":
      value.firstIndex(of: ":").map { "\(value[..<$0]):***" } ?? value
    case "proxy", "remote-cache":
      value.contains("@")
        ? value.replacing(#/^([a-zA-Z0-9+.-]+:\/\/)?[^@]*@/#) { "\($0.1 ?? "")***@" } : value
    default: SecretText.hidden(in: value)
    }
  }

  private struct Document: Encodable { let settings: [Row] }

  private struct Row: Encodable {
    let name: String
    let variable: String
    /// Empty if the setting is unset and has no default.
    let values: [String]
    let origin: SettingsLayer.Origin
    /// The variable, or `FILE:LINE:COLUMN`; nil for a default.
    var place: String?
    /// The place in a file; nil for a variable or a default.
    var location: ManifestLocation?
    /// What the help says of a default that isn't a value.
    var defaultSummary: String?

    private enum CodingKeys: CodingKey { case name, variable, values, origin, location }

    var text: String { values.isEmpty ? "(\(defaultSummary ?? "none"))" : values.joined(separator: ", ") }
  }
}
