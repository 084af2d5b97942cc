import ImageBatch
import ImageRendering

/// Mistakes in the settings of an output's encoder, at their places.
extension OutputReader {
  /// Throws if the output's own `quality` belongs to none of its formats. A job's `quality` is for all of its outputs
  /// and all rows of their matrices, so one of them may ignore it.
  func checkQuality(_ encoding: Encoding) throws(EncodingSettingsError) {
    let own = layers.output?["quality"] ?? (layers.job["outputs"] == nil ? layers.job["quality"] : nil)
    // The command line's, if it decided on the format too; for a manifest's outputs it is a default.
    let isGiven =
      context.encodingIsOwn && context.encoding.quality != nil && layers.own("output") == nil
      && layers.own("format") == nil
    guard own != nil || isGiven, !encoding.hasQuality, substitution.matrix.isEmpty, rowNames.isEmpty,
      !hasOtherNames
    else {
      return
    }
    throw EncodingSettingsError(
      setting: "quality", code: .unknownSetting,
      "\(encoding.formatText) has no quality" + (own != nil ? ": remove 'quality'" : context.hints.noQuality))
  }

  func report(_ error: EncodingSettingsError, at place: TextPlace, log: inout DiagnosticLog) {
    let parts = error.setting.split(separator: ".", maxSplits: 1).map(String.init)
    let node = parts.first.flatMap { layers.own($0) ?? matrixNode($0) ?? layers[$0] }
    // The table of keys has reported a word that isn't one of the known ones, and a value that is no word.
    switch KeyTable.output[error.setting]?.form {
    case .choice where node?.scalar?.contains("{") == false, .text,
      .scalar where node?.scalar == nil:
      if let node, log.hasError(at: node.place) { return }
    default: break
    }
    // A default that is right by itself, and contradicts the output's path.
    if error.setting == "format", layers.own("format") == nil, matrixNode("format") == nil,
      node?.scalar.map({ EncoderTable.format(named: $0) != nil }) == true
    {
      return log.error(layers.own("output")?.place ?? place, context.hints.encoding(error))
    }
    let option = parts.count == 2 ? node?.entries?.first { $0.key == parts[1] } : nil
    let ownPlace = error.code == .unknownSetting ? option?.place : option?.value.place
    log.error(
      ownPlace ?? node?.place ?? layers.own("output")?.place ?? place, context.hints.encoding(error))
  }
}
