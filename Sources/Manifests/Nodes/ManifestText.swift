/// A manifest's text, split into lines.
struct ManifestText: Sendable {
  let name: String
  let text: String
  private let lines: [Substring.UTF8View]
  /// The number of the text's first line in its file.
  private let firstLine: Int

  /// Decodes `bytes`, without a byte order mark.
  /// - Throws: `ManifestErrors` for up to 20 lines that aren't UTF-8.
  init(name: String, bytes: [UInt8]) throws(ManifestErrors) {
    if Self.isUTF16(bytes) {
      throw ManifestErrors([.init(file: name, line: 1, column: 1, message: Self.utf16Message)])
    }
    let hasMark = bytes.starts(with: [0xEF, 0xBB, 0xBF])
    let content = bytes.dropFirst(hasMark ? 3 : 0)
    guard let text = String(validating: content, as: UTF8.self) else {
      throw Self.notUTF8(content, name: name)
    }
    self.init(name: name, text: text)
  }

  init(name: String, text: String, firstLine: Int = 1) {
    self.name = name
    self.firstLine = firstLine
    self.text = text
    lines = text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
      .map { Substring($0).utf8 }
  }

  var lineCount: Int { lines.count }

  /// The line with this number, without its line break; nil if there is none.
  func line(_ number: Int) -> String? {
    guard lines.indices.contains(number - firstLine) else { return nil }
    let line = lines[number - firstLine]
    return String(Substring(line.last == UInt8(ascii: "\r") ? line.dropLast() : line))
  }

  /// The line with this number, for a diagnostic; nil if it is longer than 64 KiB, since each of many diagnostics would
  /// copy it.
  func excerpt(_ number: Int) -> String? {
    guard lines.indices.contains(number - firstLine), lines[number - firstLine].count <= 64 << 10 else {
      return nil
    }
    return line(number)
  }

  /// Whether the bytes begin with a byte order mark of UTF-16.
  static func isUTF16(_ bytes: some Sequence<UInt8>) -> Bool {
    bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [0xFE, 0xFF])
  }

  static let utf16Message = "this is UTF-16: save the file as UTF-8"

  private static func notUTF8(_ bytes: ArraySlice<UInt8>, name: String) -> ManifestErrors {
    let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    let bad = lines.enumerated().filter { String(validating: $0.element, as: UTF8.self) == nil }
    return ManifestErrors(
      bad.prefix(20).map { number, line in
        let shown = String(decoding: line, as: UTF8.self)
        let column = shown.unicodeScalars.prefix { $0 != "\u{FFFD}" }.count + 1
        return ManifestDiagnostic(
          file: name, line: number + 1, column: column,
          message: "not UTF-8: save the file as UTF-8 (this line was probably written in Latin-1)",
          sourceLine: shown)
      })
  }
}
