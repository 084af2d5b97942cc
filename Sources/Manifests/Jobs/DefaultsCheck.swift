import ImageRendering

/// Checks a manifest's `defaults` by themselves: a wrong value is one also if every output has its own.
struct DefaultsCheck {
  let context: JobContext

  /// Reports wrong values that no output has reported. Values with fields, which depend on the job, are left out.
  func run(_ defaults: ManifestNode?, log: inout DiagnosticLog) {
    guard let defaults else { return }
    let settings: [(key: String, setting: WritableKeyPath<EncodingSettings, String?>)] = [
      ("format", \.format), ("quality", \.quality), ("background", \.background), ("frames", \.frames),
      ("min-savings", \.minSavings),
    ]
    for (key, setting) in settings {
      guard let node = defaults[key], !log.hasError(at: node.place),
        let text = node.scalar ?? node.list.map({ $0.compactMap(\.scalar).joined(separator: ",") }),
        !text.contains("{")
      else { continue }
      var found = EncodingSettings()
      // Two formats, which have all of these settings.
      found.format = "webp,jpeg"
      found[keyPath: setting] = text
      do {
        _ = try Encoding(resolving: found, pathExtension: nil)
      } catch {
        if error.setting == key { log.error(node.place, context.hints.encoding(error)) }
      }
    }
    checkChain(defaults, log: &log)
  }

  private func checkChain(_ defaults: ManifestNode, log: inout DiagnosticLog) {
    guard let node = defaults["filter"], !log.hasError(at: node.place), node.scalar?.contains("{") == false
    else {
      return
    }
    let known = log.diagnostics
    var own = log
    let layers = OutputLayers(defaults: defaults, job: ManifestNode(.mapping([]), at: node.place))
    _ = OutputReader(
      context: context, layers: layers,
      substitution: FieldSubstitution(matrix: [:], variables: [:], builtIn: [:])
    ).chain(log: &own)
    // An output that uses the chain has reported its mistakes with their places.
    let new = own.diagnostics.dropFirst(known.count).filter { mistake in
      mistake.line >= node.place.line
        && !known.contains { $0.line == mistake.line && $0.column == mistake.column }
    }
    for mistake in new { log.add(mistake) }
  }
}
