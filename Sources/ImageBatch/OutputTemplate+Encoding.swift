package import ImageRendering

extension OutputTemplate {
  /// Throws if the encoder chooses the format and the path doesn't tell it: such a file would have no extension, or a
  /// wrong one.
  package func checkFormat(of encoding: Encoding) throws(EncodingSettingsError) {
    let isChosen = encoding.followsSource || !encoding.alternatives.isEmpty
    let names = [BuiltIn.ext.rawValue, BuiltIn.format.rawValue]
    guard isChosen, !fields.contains(where: { names.contains($0.name) }) else { return }
    throw EncodingSettingsError(
      setting: "format",
      "the format '\(encoding.formatText)' is chosen during encoding, and the path '\(text)' doesn't name it; "
        + "end it in '.{ext}'")
  }
}
