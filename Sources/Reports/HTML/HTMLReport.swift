import Crypto
import FoundationEssentials
import ImageBatch
import Synchronization

/// A contact sheet: one self-contained page that refers to the images by relative paths. Failures come first, then the
/// outputs of each source.
///
/// Text from manifests and the network is escaped. The content security policy allows only images, and the page's own
/// style and script by their hashes. A remote source is loaded only when the viewer compares it with an output.
final class HTMLReport: ReportDocument {
  private let version: String
  private let paths: ImagePaths
  private let date: Date
  private let earlier: EarlierReport?
  private let state: Mutex<ContactSheetState>
  let separator = ""

  init(version: String, paths: ImagePaths, earlier: EarlierReport? = nil, date: Date = .now) {
    self.version = version
    self.paths = paths
    self.date = date
    self.earlier = earlier
    state = Mutex(ContactSheetState(comparison: earlier.map(ContactSheetComparison.init)))
  }

  // MARK: Sections

  func section(_ result: OutputResult) -> ReportSection {
    let (source, isFirst) = state.withLock { $0.count(result) }
    if result.status == .failed { return ReportSection(number: ContactSheetSections.failures) }
    let card = ContactSheetCard(result: result, paths: paths, source: source)
    return ReportSection(number: source, heading: isFirst ? Array(card.sourceLink.utf8) : [])
  }

  func position(ofSection number: Int) -> Int {
    state.withLock { $0.sections.source(ofSection: number)?.firstJob } ?? ContactSheetSections.failures
  }

  func opening(ofSection number: Int, heading: [UInt8], after previous: Int?) -> [UInt8] {
    let (html, isAfterUntitled) = state.withLock { state in
      (
        state.opening(ofSection: number, String(decoding: heading, as: UTF8.self)),
        previous.map(state.isUntitled) ?? false
      )
    }
    // Adjacent sources with one output each share a section.
    if html == nil, isAfterUntitled { return [] }
    return Array(((previous == nil ? "" : Self.closing) + (html ?? Self.untitled)).utf8)
  }

  private static let closing = "</div>\n</section>\n"
  private static let untitled = "<section>\n<div class=\"grid\">\n"

  func entry(_ result: OutputResult) -> [UInt8] {
    let source = state.withLock { $0.sections.number(of: result.source) }
    return Array(
      ContactSheetCard(result: result, paths: paths, source: source, earlier: earlier).html.utf8)
  }

  // MARK: Head and tail

  func head(_ summary: BatchSummary) -> [UInt8] {
    let state = state.withLock(\.self)
    let images = state.hasRemoteSources ? "'self' file: data: https: http:" : "'self' file: data:"
    let policy =
      "default-src 'none'; img-src \(images); style-src '\(Self.hash(ContactSheetStyle.text))'; "
      + "script-src '\(Self.hash(ContactSheetScript.text))'; base-uri 'none'; form-action 'none'"
    let verdict = Summary.verdict(summary)
    return Array(
      """
      <!DOCTYPE html>
      <html lang="en">
      <head>
      <meta charset="utf-8">
      <meta http-equiv="Content-Security-Policy" content="\(policy)">
      <meta name="viewport" content="width=device-width, initial-scale=1">
      <meta name="referrer" content="no-referrer">
      <link rel="icon" href="data:,">
      <meta name="generator" content="imagemill \(XMLText.escaped(version))">
      <title>imagemill: \(verdict)</title>
      <style>\(ContactSheetStyle.text)</style>
      </head>
      <body>
      <header>
      <h1>imagemill <small\(Summary.isGood(summary) ? "" : " class=\"bad\"")>\(verdict)</small></h1>
      <p class="origin">\(origin(state))</p>
      <p class="summary">\(XMLText.escaped(Summary.text(summary)))</p>
      \(state.sums)<div class="controls" role="search">
      <div class="filters" role="group" aria-label="Show">
      \(state.filterButtons(summary))
      </div>
      <input type="search" id="search" placeholder="Search (press /)" aria-label="Search in names, sources, filters and reasons" autocomplete="off" spellcheck="false">
      <output id="shown" aria-live="polite"></output>
      </div>
      </header>
      <main id="sheet" aria-label="Outputs">

      """.utf8)
  }

  /// The manifests, the date and the version.
  private func origin(_ state: ContactSheetState) -> String {
    let instant = date.formatted(.iso8601)
    let minute = instant.prefix(16).replacing("T", with: " ")
    let time = "<time datetime=\"\(instant)\">\(minute) UTC</time>"
    return (state.manifestNames + [time, "imagemill \(XMLText.escaped(version))"]).joined(separator: " · ")
  }

  func tail(_ summary: BatchSummary) -> [UInt8] {
    let state = state.withLock(\.self)
    return Array(
      """
      \(state.sections.isEmpty ? "" : Self.closing)\(state.comparison?.goneList ?? "")</main>
      <p id="nothing" hidden>No outputs match.</p>
      <dialog id="compare" aria-labelledby="compared">
      <p class="bar"><b id="compared"></b> <button type="button" id="close">Close</button></p>
      <div id="stage"></div>
      <label><span id="before-label">before</span> \
      <input type="range" id="cut" min="0" max="100" value="50" aria-label="How much of the source is shown, in percent"> \
      <span id="after-label">after</span></label>
      <p id="missing" hidden>The browser can't show the source.</p>
      </dialog>
      <footer>Made by imagemill \(XMLText.escaped(version)). Arrow keys move between images, Enter opens one, \
      <kbd>c</kbd> compares it with its source, <kbd>/</kbd> searches, <kbd>0</kbd> to <kbd>5</kbd> filter by status, \
      Escape shows all.</footer>
      <script>\(ContactSheetScript.text)</script>
      </body>
      </html>

      """.utf8)
  }

  /// The text's hash as a content security policy source (CSP Level 3, `hash-source`).
  static func hash(_ text: String) -> String {
    "sha256-" + Data(SHA256.hash(data: Array(text.utf8))).base64EncodedString()
  }
}
