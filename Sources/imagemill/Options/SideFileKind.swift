import ImageBatch
import ImageRendering
import Manifests
import Reports
import SystemIO

/// What an option writes into a file beside the outputs. An existing file of another kind isn't replaced: its name may be
/// a slip.
enum SideFileKind {
  case report(ReportFormat)
  case markup(MarkupFormat)
  case events, metrics, lock

  /// The name of such a file in messages, with its article.
  var noun: String {
    switch self {
    case .report(.json): "a JSON report"
    case .report(.ndjson): "an NDJSON report"
    case .report(.xml): "a JUnit report"
    case .report(.html): "an HTML report"
    case .markup: "a markup file"
    case .events: "an event log"
    case .metrics: "a metrics file"
    case .lock: "a lock file"
    }
  }

  /// Texts near the start of each such file, in any order; nil for markup, whose text a template may set.
  private var marks: [String]? {
    switch self {
    case .report(.json): ["\"imagemill\":\""]
    case .report(.ndjson): ["\"version\":1", "\"index\":"]
    case .report(.xml): ["<testsuites name=\"imagemill\""]
    case .report(.html): ["<meta name=\"generator\" content=\"imagemill "]
    case .markup(.json): ["\"images\":["]
    case .markup: nil
    case .events: ["\"version\":1", "\"event\":\""]
    case .metrics: ["# HELP imagemill_"]
    case .lock: ["\"imagemill-lock\":"]
    }
  }

  /// Whether a pipe can take the place of the file: what is written in order, and once.
  var isStream: Bool { if case .events = self { true } else { false } }

  /// Whether a file begins as such a file does, however it is formatted.
  /// - Parameter head: The first bytes of the file at `path`.
  func matches(_ head: [UInt8], of path: String) -> Bool {
    let text = Self.condensed(String(decoding: head, as: UTF8.self))
    guard !text.isEmpty else { return true }
    guard let marks else { return !Self.isForeignMarkup(text, path) }
    return marks.allSatisfy { text.contains(Self.condensed($0)) }
  }

  /// Whether a text is a whole page, or has no tag and the name of an image, a list or a table.
  private static func isForeignMarkup(_ text: String, _ path: String) -> Bool {
    let text = text.lowercased()
    if ["<!doctype", "<html", "<?xml"].contains(where: text.hasPrefix) { return true }
    guard !text.hasPrefix("<img"), !text.hasPrefix("<picture>") else { return false }
    return ManifestKind(fileName: path) != nil || RunOperands([path]).targets == [path]
  }

  /// Whether the first bytes of a file have a manifest's key.
  static func isManifest(_ head: [UInt8]) -> Bool {
    String(decoding: head, as: UTF8.self).contains(#/(^|[\n{,])\s*["']?imagemill["']?\s*[:=]\s*[0-9]/#)
  }

  /// The text without white space, which other programs change.
  private static func condensed(_ text: String) -> String { text.filter { !$0.isWhitespace } }
}
