import FoundationEssentials
package import ImageBatch
import SystemIO
import TerminalText

/// Formats a plan.
package enum PlanText {
  /// The plan as text: a line per output, a warning per source that may take too long, then the totals.
  /// - Parameter timeRemedy: What to do about the latter, with a leading separator. Default: nothing.
  package static func lines(_ plan: BatchPlan, timeRemedy: String = "") -> String {
    // A name from a manifest must not move the terminal's cursor.
    var lines = plan.entries.map { entry in
      "\(TerminalText.padded(entry.action.rawValue, to: 10))  \(entry.path ?? "?")  (\(entry.source): \(entry.reason))"
    }
    lines += plan.stale.map { "remove      \($0)  (the manifest no longer makes it)" }
    lines += plan.longRenderings.map { rendering in
      "warning     \(rendering.source): rendering its outputs takes about \(QuantityText.tenths(rendering.seconds)) s, "
        + "more than the limit of \(QuantityText.tenths(rendering.limit)) s\(timeRemedy)"
    }
    let text = lines.map { TerminalText.visible($0) + "\n" }.joined()
    let totals = plan.totals
    let actions = BatchPlan.Action.allCases.compactMap { action in
      totals.actions[action.rawValue].map { "\($0) \(action.rawValue)" }
    }
    if totals.jobs == 0, totals.sources == 0 { return text + "nothing to do\n" }
    let outputs = "jobs \(totals.jobs); outputs \(totals.outputs)"
    let sources = [(totals.downloads, "to download"), (totals.revalidations, "to revalidate")]
      .filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }
    let least = totals.isExact ? "" : "at least "
    let work = [
      totals.sources > 0
        ? "sources \(totals.sources)" + (sources.isEmpty ? "" : ": \(sources.joined(separator: ", "))") : nil,
      totals.decodes > 0 ? "\(least)\(totals.decodes) to decode" : nil,
      totals.renderings > 0 ? "\(totals.renderings) to render" : nil,
    ]
    return text
      + ([outputs + (actions.isEmpty ? "" : ": \(actions.joined(separator: ", "))")] + work.compactMap(\.self))
      .joined(separator: "; ") + "\n"
  }

  /// The plan as JSON: `{"version": 1, "totals": …, "outputs": […], "longRenderings": […]}`.
  /// - Throws: `EncodingError`.
  package static func json(_ plan: BatchPlan) throws -> String {
    struct Document: Encodable {
      struct Output: Encodable {
        let index: Int
        let source: String
        let output: String?
        let action: String
        let reason: String
        let filter: String
        let format: String
        /// The digest of the source's bytes, if it is known.
        let sha256: String?
        let key: String?
        let location: ManifestLocation?
      }
      let totals: BatchPlan.Totals
      let outputs: [Output]
      let longRenderings: [BatchPlan.LongRendering]
    }
    let outputs = plan.entries.map { entry in
      Document.Output(
        index: entry.index, source: entry.source, output: entry.path, action: entry.action.rawValue,
        reason: entry.reason, filter: entry.filter, format: entry.format, sha256: entry.content?.hex,
        key: entry.key?.hex, location: entry.location)
    }
    let document = Document(
      totals: plan.totals, outputs: outputs, longRenderings: plan.longRenderings)
    return String(decoding: try JSONText.document(document, pretty: true), as: UTF8.self)
  }

  /// The graph of steps in Graphviz's DOT language. Steps whose results exist already are dashed.
  package static func dot(_ plan: BatchPlan) -> String {
    guard let graph = plan.graph else { return "" }
    var text = "digraph plan {\n  rankdir=LR;\n  node [shape=box, fontname=\"sans-serif\"];\n"
    for (index, node) in graph.nodes.values.enumerated() {
      text +=
        "  n\(index) [label=\(quoted(node.label)), shape=\(shape(node.kind))"
        + "\(node.isDone ? ", style=dashed" : "")];\n"
    }
    for edge in graph.edges {
      guard let from = graph.nodes.index(forKey: edge.from), let to = graph.nodes.index(forKey: edge.to)
      else {
        continue
      }
      text += "  n\(from) -> n\(to);\n"
    }
    return text + "}\n"
  }

  private static func shape(_ kind: PlanGraph.Node.Kind) -> String {
    switch kind {
    case .source: "cylinder"
    case .decode: "ellipse"
    case .filter: "box"
    case .encode: "hexagon"
    case .write: "note"
    }
  }

  private static func quoted(_ text: String) -> String {
    "\""
      + text.replacing(scalar: "\\", with: "\\\\").replacing(scalar: "\"", with: "\\\"")
      .replacing(scalar: "\n", with: "\\n") + "\""
  }
}
