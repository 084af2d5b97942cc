import ImageBatch
import ImageDownloads
import ImageFilters

extension OutputReader {
  /// What a transition's `from` calls the job's own placeholder.
  static let placeholderName = "placeholder"

  /// The filter that `transition` stands for; nil where it is wrong, which is then in the log.
  func transition(_ node: ManifestNode, log: inout DiagnosticLog) -> FilterChain? {
    // What the key table complains of, it has complained of.
    var complaints = DiagnosticLog(log.text)
    KeyTable.transition.check(node, log: &complaints)
    guard complaints.isEmpty else { return nil }
    let reader = ChainReader(named: [:], substitution: substitution)
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
        "the job has no 'placeholder' that a transition could begin with: give it one, or name another source"
      )
      return nil
    }
    if let placeholder, let named, placeholder != named {
      log.error(
        from.place,
        "'placeholder' is both the job's and one of 'sources', and they differ: rename the one in 'sources'")
      return nil
    }
    return filter
  }

  /// Whether the encoding can hold what the chain makes.
  func isPossible(_ output: Output, at place: TextPlace, log: inout DiagnosticLog) -> Bool {
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
