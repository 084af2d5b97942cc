import ImageBatch
import TerminalText
import ImageRendering

/// One output on the contact sheet.
struct ContactSheetCard {
  let result: OutputResult
  let paths: ImagePaths

  /// The formats that browsers display.
  private static let shownFormats: Set<OutputFormat> = [.jpeg, .png, .webp, .avif, .gif]

  var html: String {
    let name = Self.shown(result.output ?? result.source)
    let place = "\(result.index)-\(result.outputIndex + 1)"
    let sizes = [("bytes", result.bytes), ("source-bytes", result.sourceBytes)]
      .map { name, bytes in bytes.map { " data-\(name)=\"\($0)\"" } ?? "" }.joined()
    return """
      <article id="o\(place)" data-status="\(result.status.rawValue)"\(sizes) tabindex="-1" aria-labelledby="n\(place)">
      \(picture)
      <h2 id="n\(place)">\(name)</h2>
      \(details.map { "<p class=\"\($0)\">\($1)</p>" }.joined(separator: "\n"))
      </article>

      """
  }

  /// Escapes text for the page and replaces bidirectional overrides, which could make `gnp.exe` read as `exe.png`.
  private static func shown(_ text: String) -> String {
    XMLText.escaped(TerminalText.visible(text))
  }

  private var picture: String {
    guard result.status != .failed, let path = result.path else {
      return "<div class=\"picture none\">failed</div>"
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

  /// The CSS class and the HTML of each line.
  private var details: [(String, String)] {
    var lines: [(String, String)] = []
    if let error = result.error {
      lines.append(
        (
          "error",
          "<b>\(error.stage.rawValue)</b> \(Self.shown(error.message)) <code>\(Self.shown(error.code.rawValue))</code>"
        ))
    }
    let facts = facts
    if !facts.isEmpty { lines.append(("facts", facts.joined(separator: " · "))) }
    if result.usedPlaceholder {
      lines.append(("note", "made from the placeholder because the source failed"))
    }
    lines.append(("source", source))
    if !result.filter.isEmpty { lines.append(("filter", "<code>\(Self.shown(result.filter))</code>")) }
    var place = "<span class=\"status\">\(result.status.rawValue)</span>"
    if let location = result.location {
      place += " \(Self.shown(location.text))"
    }
    lines.append(("place", place))
    return lines
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
    guard let bytes = result.bytes, let before = result.sourceBytes, before > 0 else { return nil }
    let change = Int((Double(bytes - before) / Double(before) * 100).rounded())
    guard change != 0 else { return "0 %" }
    return change < 0
      ? "<span class=\"saved\">−\(-change) %</span>" : "<span class=\"grown\">+\(change) %</span>"
  }

  private var source: String {
    let text = Self.shown(result.source)
    guard result.source.hasPrefix("https://") || result.source.hasPrefix("http://") else { return text }
    return "<a href=\"\(XMLText.escaped(result.source))\" rel=\"noreferrer noopener\">\(text)</a>"
  }
}
