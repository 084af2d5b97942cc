import ImageBatch
import TerminalText

/// What a contact sheet knows of the outputs so far.
struct ContactSheetState {
  var sections = ContactSheetSections()
  var comparison: ContactSheetComparison?
  private(set) var hasRemoteSources = false
  /// The manifests' paths, in the order in which their first outputs finished.
  private var manifests: [String] = []
  private var placeholders = 0

  /// The most manifests that are named.
  private static let namedManifests = 4

  init(comparison: ContactSheetComparison?) { self.comparison = comparison }

  /// Counts an output. Returns its source's section, and whether it is the first output that was made of the source.
  mutating func count(_ result: OutputResult) -> (source: Int, isFirst: Bool) {
    if let file = result.location?.file, manifests.count <= Self.namedManifests, !manifests.contains(file) {
      manifests.append(file)
    }
    if ContactSheetCard.isRemote(result.source) { hasRemoteSources = true }
    if result.usedPlaceholder { placeholders += 1 }
    comparison?.count(result)
    return sections.count(result)
  }

  /// The manifests' names as HTML.
  var manifestNames: [String] {
    let names = manifests.sorted().prefix(Self.namedManifests).map { $0 == "-" ? "standard input" : $0 }
    return names.map { XMLText.escaped(TerminalText.visible($0)) }
      + (manifests.count > Self.namedManifests ? ["and other manifests"] : [])
  }

  /// Whether a section has only one output, of a source that has no other.
  func isUntitled(_ section: Int) -> Bool { sections.source(ofSection: section)?.outputs == 1 }

  /// The text before a section with a title; nil for one without.
  func opening(ofSection number: Int, _ heading: String) -> String? {
    guard let source = sections.source(ofSection: number) else {
      return """
        <section id="failures">
        <h2>Failures <small>\(QuantityText.count(sections.failed, "output"))</small></h2>
        <div class="grid">

        """
    }
    guard !isUntitled(number) else { return nil }
    var facts = [QuantityText.count(source.outputs, "output")]
    if source.bytes > 0 { facts[0] += ", \(QuantityText.bytes(source.bytes))" }
    if source.sourceBytes > 0 { facts.insert(QuantityText.bytes(source.sourceBytes), at: 0) }
    return """
      <section>
      <h2>\(heading) <small>\(facts.joined(separator: " → "))</small></h2>
      <div class="grid">

      """
  }

  /// The sizes of the sources, each counted once, and of their outputs; and the sentence of the comparison.
  var sums: String {
    var html = ""
    let totals = sections.totals
    if totals.sources > 0 {
      let change = QuantityText.change(from: totals.sourceBytes, to: totals.bytes).map { " (\($0))" } ?? ""
      html += """
        <p class="sums">\(QuantityText.count(totals.sources, "source")), \(QuantityText.bytes(totals.sourceBytes)) \
        → \(QuantityText.count(totals.outputs, "output")), \(QuantityText.bytes(totals.bytes))\(change)</p>

        """
    }
    if let comparison {
      html += "<p class=\"comparison\">\(XMLText.escaped(TerminalText.visible(comparison.sentence)))</p>\n"
    }
    return html
  }

  /// The buttons that filter the cards; one without cards is disabled.
  func filterButtons(_ summary: BatchSummary) -> String {
    var counts = [
      ("all", "all", summary.outputs), ("failed", "failed", summary.outputsFailed),
      ("written", "written", summary.outputsWritten), ("cached", "cached", summary.outputsFromCache),
      ("unchanged", "unchanged", summary.outputsUnchanged), ("kept", "kept", summary.outputsKept),
    ]
    if placeholders > 0 { counts.append(("placeholder", "from placeholders", placeholders)) }
    for change in [OutputChange.broken, .fixed, .new, .changed] {
      guard let count = comparison?.counts[change] else { continue }
      counts.append((change.rawValue, change.words, count))
    }
    return counts.map { name, words, count in
      let isOff = count == 0 && name != "all" ? " disabled" : ""
      return "<button type=\"button\" data-filter=\"\(name)\" aria-pressed=\"\(name == "all")\"\(isOff)>"
        + "\(words) <b>\(count)</b></button>"
    }.joined(separator: "\n")
  }
}
