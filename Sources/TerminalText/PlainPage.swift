/// Renders a manual page as plain text, for systems without man(1) or output that isn't a terminal.
///
/// It supports only the subset of mdoc(7) that the pages use. A test checks every page against ``knownMacros``.
package struct PlainPage {
  /// The number of columns that text is filled to.
  package static let width = 78

  /// The macros that pages may use.
  package static let knownMacros = PlainLine.macros.union([
    "Dd", "Dt", "Os", "Sh", "Ss", "Pp", "Bl", "It", "El", "Bd", "Ed", "Dl", "Nd",
  ])

  private var output = ""
  private var words: [String] = []
  private var indent = 0
  private var isLiteral = false
  /// Whether the current section is the synopsis, where each name starts a new line.
  private var isSynopsis = false
  private var wantsBlankLine = false
  private var listDepth = 0
  private var baseIndent = 4

  /// Renders a page in mdoc(7).
  package static func text(of page: String) -> String {
    var plain = PlainPage()
    for line in page.split(separator: "\n", omittingEmptySubsequences: false) { plain.read(String(line)) }
    plain.flush()
    return plain.output
  }

  private mutating func read(_ line: String) {
    if line.hasPrefix(".\\\"") { return }
    guard line.hasPrefix(".") else {
      if isLiteral { return put(PlainLine.unescaped(line), indent + 4) }
      words += PlainLine.unescaped(line).split(separator: " ").map(String.init)
      return
    }
    let macro = String(line.dropFirst().prefix { $0 != " " })
    let rest = line.dropFirst(macro.count + 1).drop { $0 == " " }
    switch macro {
    case "Dd", "Os": break
    case "Dt":
      let parts = rest.split(separator: " ")
      if parts.count > 1 { put("\(parts[0])(\(parts[1]))", 0) }
    case "Sh":
      isSynopsis = rest == "SYNOPSIS"
      begin(0) { $0.put(PlainLine.text(String(rest)), 0) }
    case "Ss": begin(2) { $0.put(PlainLine.text(String(rest)), 2) }
    case "Pp": flush(); wantsBlankLine = true
    case "Bl": flush(); listDepth += 1; if listDepth == 1 { wantsBlankLine = true }
    case "El": flush(); listDepth -= 1; indent = baseIndent + 4 * max(0, listDepth - 1); wantsBlankLine = true
    case "It":
      flush()
      indent = baseIndent + 4 * (listDepth - 1)
      // An item of a bullet list has no tag.
      if rest.isEmpty { words.append("-") } else { put(PlainLine.text(String(rest)), indent) }
      indent += rest.isEmpty ? 0 : 4
    case "Bd": flush(); wantsBlankLine = true; isLiteral = true
    case "Ed": isLiteral = false; wantsBlankLine = true
    case "Dl": flush(); put(PlainLine.unescaped(String(rest)), indent + 4)
    case "Nd": words += ["-"] + PlainLine.text(String(rest)).split(separator: " ").map(String.init)
    case "Nm" where isSynopsis:
      flush()
      words += PlainLine.text(String(line.dropFirst())).split(separator: " ").map(String.init)
    default:
      words += PlainLine.text(String(line.dropFirst())).split(separator: " ").map(String.init)
    }
  }

  private mutating func begin(_ level: Int, _ title: (inout PlainPage) -> Void) {
    flush()
    wantsBlankLine = true
    listDepth = 0
    title(&self)
    baseIndent = 4
    indent = 4
  }

  /// Fills the collected words into lines.
  private mutating func flush() {
    var line = ""
    for word in words {
      if !line.isEmpty, indent + line.count + 1 + word.count > Self.width {
        put(line, indent)
        line = ""
      }
      line += (line.isEmpty ? "" : " ") + word
    }
    if !line.isEmpty { put(line, indent) }
    words = []
  }

  private mutating func put(_ line: String, _ columns: Int) {
    if wantsBlankLine, !output.isEmpty { output += "\n" }
    wantsBlankLine = false
    output += line.isEmpty ? "\n" : String(repeating: " ", count: columns) + line + "\n"
  }
}
