import ImageRendering
import Manifests

/// A wrong value of a setting, at the place that sets it.
struct SettingMistake {
  let value: SettingsLayer.Value
  let message: String

  init(_ value: SettingsLayer.Value, _ message: String) {
    self.value = value
    self.message = message
  }

  /// - Parameters:
  ///   - error: What the parser says about the setting's option.
  ///   - isFlag: Whether it is a switch, which is right by itself and wrong together with the other options.
  init(_ value: SettingsLayer.Value, _ error: any Error, isFlag: Bool) {
    let text = UsageErrorFormatter.text(Imagemill.fullMessage(for: error), arguments: [])
    let line = text.split(separator: "\n").first.map(String.init) ?? text
    let message = line.hasPrefix("imagemill: ") ? String(line.dropFirst("imagemill: ".count)) : line
    let form = UsageErrorFormatter.form(ofValueIn: message).map { form in
      "; " + form.prefix(1).lowercased() + form.dropFirst().dropLast()
    }
    let off = isFlag ? "; for one command, \(Setting.variable(of: value.name))=no turns the setting off" : ""
    self.init(value, message + (form ?? off))
  }

  /// The mistake of a switch whose value is neither yes nor no, or of another option whose value is empty.
  init(withoutArguments value: SettingsLayer.Value, isFlag: Bool) {
    self.init(
      value,
      isFlag
        ? "'\(value.texts.joined(separator: ", "))' must be true or false"
        : "the value is empty; remove the setting, or set it")
  }

  /// The mistake of an encoder setting, which the parser takes as text; nil for any other, and for a right one. Whether
  /// it fits the output's format isn't known yet.
  init?(encoding value: SettingsLayer.Value) {
    guard let text = value.texts.last,
      let mistake = EncodingSettings.mistake(in: text, of: value.name)
    else { return nil }
    self.init(value, mistake)
  }

  /// The error that reports all of them: those in files at their places, and those of variables by name.
  static func error(of mistakes: [SettingMistake]) -> any Error {
    guard mistakes.contains(where: { $0.value.location != nil }) else {
      return CommandError(
        .usage, mistakes.map { "\($0.value.place): \($0.message)" }.joined(separator: "\nimagemill: "))
    }
    let sorted = mistakes.map(\.diagnostic).sorted {
      ($0.file, $0.line, $0.column) < ($1.file, $1.line, $1.column)
    }
    return ManifestCommandError(ManifestErrors(sorted))
  }

  private var diagnostic: ManifestDiagnostic {
    guard let location = value.location else {
      return ManifestDiagnostic(file: value.place, line: 0, column: 0, message: message)
    }
    return ManifestDiagnostic(
      file: location.file, line: location.line, column: location.column,
      message: "setting '\(value.name)': \(message)")
  }
}
