import ImageBatch
import TerminalText

/// The differences between a contact sheet's outputs and those of an earlier report.
struct ContactSheetComparison {
  let earlier: EarlierReport
  private(set) var counts: [OutputChange: Int] = [:]
  private var seen: Set<String> = []
  private var bytesBefore = 0
  private var bytesAfter = 0

  /// The most names of outputs that are listed as gone.
  private static let listedNames = 1000

  init(_ earlier: EarlierReport) { self.earlier = earlier }

  mutating func count(_ result: OutputResult) {
    let entry = entry(of: result)
    let change = OutputChange(result, since: entry)
    counts[change, default: 0] += 1
    if let output = result.output, entry != nil { seen.insert(output) }
    if change == .changed, let before = entry?.bytes, let after = result.bytes {
      bytesBefore += before
      bytesAfter += after
    }
  }

  /// The output in the earlier report.
  func entry(of result: OutputResult) -> EarlierReport.Entry? {
    result.output.flatMap { earlier.entries[$0] }
  }

  /// The outputs that only the earlier report has.
  private var gone: [String] { earlier.entries.keys.filter { !seen.contains($0) }.sorted() }

  /// `Compared with run-1.ndjson: 3 new, 2 changed (+12 %), 1 not in this report`.
  var sentence: String {
    var parts = [OutputChange.broken, .fixed, .new, .changed].compactMap { change -> String? in
      guard let count = counts[change] else { return nil }
      let percent = change == .changed ? QuantityText.change(from: bytesBefore, to: bytesAfter) : nil
      return "\(count) \(change.words)" + (percent.map { " (\($0))" } ?? "")
    }
    let goneCount = earlier.entries.count - seen.count
    if goneCount > 0 { parts.append("\(goneCount) not in this report") }
    return "Compared with \(earlier.name): " + (parts.isEmpty ? "no changes" : parts.joined(separator: ", "))
  }

  /// The list of outputs that only the earlier report has; empty without any.
  var goneList: String {
    let names = gone
    if names.isEmpty { return "" }
    var items = names.prefix(Self.listedNames).map { "<li>\(XMLText.escaped(TerminalText.visible($0)))</li>" }
    if names.count > Self.listedNames { items.append("<li>and \(names.count - Self.listedNames) more</li>") }
    return """
      <section id="gone">
      <h2>Not in this report <small>\(QuantityText.count(names.count, "output")) of the earlier one</small></h2>
      <ul>
      \(items.joined(separator: "\n"))
      </ul>
      </section>

      """
  }
}
