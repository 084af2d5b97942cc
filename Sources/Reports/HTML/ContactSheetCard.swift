import ImageBatch
import TerminalText
import ImageRendering

/// One output on the contact sheet.
struct ContactSheetCard {
  let result: OutputResult
  let paths: ImagePaths
  /// The number of the source among the page's.
  let source: Int
  /// The report to compare with.
  var earlier: EarlierReport?

  /// The formats that browsers display.
  private static let shownFormats: Set<OutputFormat> = [.jpeg, .png, .webp, .avif, .gif]

  var html: String {
    let name = Self.shown(result.output ?? result.source)
    let place = "\(result.index)-\(result.outputIndex + 1)"
    let sizes = [("bytes", result.bytes), ("source-bytes", result.sourceBytes)]
      .map { name, bytes in bytes.map { " data-\(name)=\"\($0)\"" } ?? "" }.joined()
    let tags = tags.isEmpty ? "" : " data-tags=\"\(tags.joined(separator: " "))\""
    return """
      <article id="o\(place)" data-status="\(result.status.rawValue)" data-source="\(source)"\(sizes)\(tags) tabindex="-1" aria-labelledby="n\(place)">
      \(picture)
      <h3 id="n\(place)">\(name)</h3>
      \(lines.joined(separator: "\n"))
      </article>

      """
  }

  /// Escapes text for the page and replaces bidirectional overrides, which could make `gnp.exe` read as `exe.png`.
  private static func shown(_ text: String) -> String {
    XMLText.escaped(TerminalText.visible(text))
  }

  /// Whether a source is one that the browser can load from its server.
  static func isRemote(_ source: String) -> Bool {
    source.hasPrefix("https://") || source.hasPrefix("http://")
  }

  private var change: OutputChange? {
    earlier.map { earlier in OutputChange(result, since: result.output.flatMap { earlier.entries[$0] }) }
  }

  /// The words other than its status that the card can be filtered by.
  private var tags: [String] {
    (change.map { $0 == .same ? [] : [$0.rawValue] } ?? []) + (result.usedPlaceholder ? ["placeholder"] : [])
  }

  private var picture: String {
    guard result.status != .failed, let path = result.path else {
      return "<div class=\"picture none\">failed</div>"
    }
    // A browser can't load an object by its address.
    guard result.file != nil else {
      return "<div class=\"picture none\">\(XMLText.escaped(result.format))</div>"
    }
    let url = XMLText.escaped(paths.url(of: path))
    guard let format = OutputFormat(rawValue: result.format), Self.shownFormats.contains(format) else {
      return "<a class=\"picture none\" href=\"\(url)\">\(XMLText.escaped(result.format))</a>"
    }
    let size =
      result.width.flatMap { width in result.height.map { " width=\"\(width)\" height=\"\($0)\"" } } ?? ""
    return """
      <a class="picture" href="\(url)">\(blur(size))<img class="full" src="\(url)"\(size) loading="lazy" \
      decoding="async" alt="\(Self.shown(result.output ?? ""))"></a>
      """
  }

  /// The tiny placeholder below the image. The script sets its source when it approaches the viewport, because decoding
  /// thousands of placeholders at once would dominate the page's load time.
  private func blur(_ size: String) -> String {
    guard let uri = result.placeholders?.dataURI, uri.hasPrefix("data:image/") else { return "" }
    return "<img class=\"blur\" data-src=\"\(XMLText.escaped(uri))\"\(size) alt=\"\" aria-hidden=\"true\">"
  }

  /// The lines below the name.
  private var lines: [String] {
    var lines: [String] = []
    func add(_ kind: String, _ html: String?) {
      if let html { lines.append("<p class=\"\(kind)\">\(html)</p>") }
    }
    if let error = result.error {
      let code = "<code>\(Self.shown(error.code.rawValue))</code>"
      add(
        "error",
        "<b>\(error.stage.rawValue)</b> \(Self.shown(result.failureMessage ?? error.message)) \(code)")
    }
    let facts = facts
    if !facts.isEmpty { add("facts", facts.joined(separator: " · ")) }
    add("change", comparison)
    if result.usedPlaceholder { add("note", "made from the placeholder because the source failed") }
    add("source", sourceLink)
    let canonical = result.filter.isEmpty ? nil : "<code>\(Self.shown(result.filter))</code>"
    let written = result.chainText.map { "<code>\(Self.shown($0))</code>" }
    add("filter", written ?? canonical)
    if let written, let canonical, written != canonical {
      lines.append("<details><summary>the chain in full</summary>\(canonical)</details>")
    }
    if let before {
      add(
        "tools",
        "<button type=\"button\" class=\"compare\" data-before=\"\(before)\">Before and after</button>")
    }
    let status = "<span class=\"status\">\(result.status.rawValue)</span>"
    add("place", status + (result.location.map { " \(Self.shown($0.text))" } ?? ""))
    return lines
  }

  /// What has changed since the earlier report; nil if nothing has, or there is none.
  private var comparison: String? {
    guard let change, change != .same else { return nil }
    let words = "<b>\(change.words)</b>"
    guard change == .changed, let entry = result.output.flatMap({ earlier?.entries[$0] }) else {
      return words
    }
    var facts: [String] = []
    if let before = entry.bytes, let after = result.bytes {
      let percent = QuantityText.change(from: before, to: after).map { " (\($0))" } ?? ""
      facts.append("\(QuantityText.bytes(before)) → \(QuantityText.bytes(after))\(percent)")
    }
    if let width = entry.width, let height = entry.height, width != result.width || height != result.height {
      facts.append("was \(width) × \(height)")
    }
    return ([words] + facts).joined(separator: " ")
  }

  /// The escaped URL of the source's image, to compare the output with; nil if either can't be shown.
  private var before: String? {
    guard result.status != .failed, !result.usedPlaceholder, result.file != nil,
      let format = OutputFormat(rawValue: result.format), Self.shownFormats.contains(format)
    else { return nil }
    if Self.isRemote(result.source) { return XMLText.escaped(result.source) }
    return result.sourcePath.map { XMLText.escaped(paths.url(of: $0)) }
  }

  private var facts: [String] {
    var facts: [String] = []
    if let width = result.width, let height = result.height { facts.append("\(width) × \(height)") }
    if let frames = result.frames, frames > 1 { facts.append("\(frames) frames") }
    if result.status != .failed, !result.format.isEmpty { facts.append(XMLText.escaped(result.format)) }
    if let bytes = result.bytes { facts.append(QuantityText.bytes(bytes)) }
    if let saving { facts.append(saving) }
    return facts
  }

  /// The change from the source's size in percent.
  private var saving: String? {
    guard let bytes = result.bytes, let before = result.sourceBytes,
      let change = QuantityText.change(from: before, to: bytes)
    else { return nil }
    if change == "0 %" { return change }
    let kind = bytes < before ? "saved" : "grown"
    return "<span class=\"\(kind)\" title=\"compared with the source\">\(change)</span>"
  }

  /// The source, as a link if it is a URL.
  var sourceLink: String {
    let text = Self.shown(result.source)
    guard Self.isRemote(result.source) else { return text }
    return "<a href=\"\(XMLText.escaped(result.source))\" rel=\"noreferrer noopener\">\(text)</a>"
  }
}
