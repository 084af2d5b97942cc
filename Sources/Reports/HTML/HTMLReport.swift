import Crypto
import FoundationEssentials
import ImageBatch

/// A contact sheet: one self-contained page that refers to the images by relative paths.
///
/// Text from manifests and the network is escaped. The content security policy allows only images, and the page's own
/// style and script by their hashes.
struct HTMLReport: ReportDocument {
  let version: String
  let paths: ImagePaths
  let separator = ""

  func head(_ summary: BatchSummary) -> [UInt8] {
    let policy =
      "default-src 'none'; img-src 'self' file: data:; style-src '\(Self.hash(ContactSheetStyle.text))'; "
      + "script-src '\(Self.hash(ContactSheetScript.text))'; base-uri 'none'; form-action 'none'"
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
      <title>imagemill: \(Summary.verdict(summary))</title>
      <style>\(ContactSheetStyle.text)</style>
      </head>
      <body>
      <header>
      <h1>imagemill <small\(Summary.isGood(summary) ? "" : " class=\"bad\"")>\(Summary.verdict(summary))</small></h1>
      <p class="summary">\(XMLText.escaped(Summary.text(summary)))</p>
      <div class="controls" role="search">
      <div class="filters" role="group" aria-label="Show">
      \(Self.filterButtons(summary))
      </div>
      <input type="search" id="search" placeholder="Search (press /)" aria-label="Search in names, sources, filters and reasons" autocomplete="off" spellcheck="false">
      <output id="shown" aria-live="polite"></output>
      </div>
      </header>
      <main id="sheet" aria-label="Outputs">

      """.utf8)
  }

  func entry(_ result: OutputResult) -> [UInt8] {
    Array(ContactSheetCard(result: result, paths: paths).html.utf8)
  }

  func tail(_ summary: BatchSummary) -> [UInt8] {
    Array(
      """
      </main>
      <p id="nothing" hidden>No outputs match.</p>
      <footer>Made by imagemill \(XMLText.escaped(version)). Arrow keys move between images, Enter opens one, \
      <kbd>/</kbd> searches, <kbd>0</kbd> to <kbd>4</kbd> filter by status, Escape shows all.</footer>
      <script>\(ContactSheetScript.text)</script>
      </body>
      </html>

      """.utf8)
  }

  private static func filterButtons(_ summary: BatchSummary) -> String {
    let counts = [
      ("all", summary.outputs), ("failed", summary.outputsFailed), ("written", summary.outputsWritten),
      ("cached", summary.outputsFromCache), ("unchanged", summary.outputsUnchanged),
    ]
    return counts.map { name, count in
      "<button type=\"button\" data-filter=\"\(name)\" aria-pressed=\"\(name == "all")\">\(name) <b>\(count)</b></button>"
    }.joined(separator: "\n")
  }

  /// The text's hash as a content security policy source (CSP Level 3, `hash-source`).
  static func hash(_ text: String) -> String {
    "sha256-" + Data(SHA256.hash(data: Array(text.utf8))).base64EncodedString()
  }
}
