import ImageBatch
import ImageDownloads
import ImageFilters

extension OutputReader {
  /// The name of the job's placeholder in a transition's `from`.
  static let placeholderName = "placeholder"

  /// The filter for `transition`; nil, with an error in the log, if it is wrong.
  func transition(_ node: ManifestNode, log: inout DiagnosticLog) -> FilterChain? {
    // The key table's errors are in the log already.
    var complaints = DiagnosticLog(log.text)
    KeyTable.transition.check(node, log: &complaints)
    let reader = ChainReader(named: [:], substitution: substitution)
    guard complaints.isEmpty else {
      // The values of the other keys are checked all the same.
      var right = (node.entries ?? []).filter { entry in
        KeyTable.transition[entry.key] != nil && !complaints.hasError(at: entry.place)
          && !complaints.hasError(at: entry.value.place)
      }
      if !right.contains(where: { $0.key == "from" }) {
        right.append(.init(key: "from", place: node.place, value: ManifestNode(.text("x"), at: node.place)))
      }
      let rest = ManifestNode(.mapping(right), at: node.place)
      _ = reader.chain(
        ManifestNode(.mapping([.init(key: "transition", place: node.place, value: rest)]), at: node.place),
        log: &log)
      return nil
    }
    guard let from = node["from"], node.entries != nil,
      let filter = reader.chain(
        ManifestNode(.mapping([.init(key: "transition", place: node.place, value: node)]), at: node.place),
        log: &log)
    else { return nil }
    guard filter.references.contains(Self.placeholderName) else { return filter }
    let named = context.givenSources[Self.placeholderName] ?? context.sources[Self.placeholderName]
    if placeholder == nil, named == nil {
      log.error(
        from.place,
        "the transition begins with 'placeholder', but the job has none: add one, or name another source"
      )
      return nil
    }
    if let placeholder, let named, placeholder != named {
      log.error(
        from.place,
        "the job's 'placeholder' and the named source 'placeholder' differ: rename the named source")
      return nil
    }
    return filter
  }

  /// Whether the format can hold the chain's result; if not, an error is added to the log.
  func isPossible(_ output: JobOutput, at place: TextPlace, log: inout DiagnosticLog) -> Bool {
    do {
      try output.encoding.check(output.chain)
      return true
    } catch {
      let node = layers["transition"] ?? layers["filter"]
      log.error(node?.place ?? layers.own("output")?.place ?? place, error.message)
      return false
    }
  }
}
