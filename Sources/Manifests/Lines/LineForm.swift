/// How a stream of jobs is written, one job a record.
package enum LineForm: String, Sendable, CaseIterable {
  /// A source a line; `HASH  SOURCE`, as sha256sum writes it, pins the content. Lines that begin with `#` are
  /// comments.
  case sources
  /// A JSON object a line, in the manifest's job form. Keys of the user's own are the record's fields.
  case ndjson
  /// RFC 4180 with a header line: columns named as a job's keys are the job's, others are fields.
  case csv
  /// As `csv`, with tabs.
  case tsv
}

/// What a manifest is: a document, or a stream of lines.
package enum ManifestKind: Sendable, Hashable {
  case document(ManifestReader.Form)
  case lines(LineForm)

  /// What the file name says; nil where it says nothing. `.gz` is looked behind.
  package init?(fileName: String) {
    var name = fileName.lowercased()[...]
    if name.hasSuffix(".gz") { name = name.dropLast(3) }
    guard let dot = name.lastIndex(of: ".") else { return nil }
    switch name[name.index(after: dot)...] {
    case "yaml", "yml": self = .document(.yaml)
    case "json": self = .document(.json)
    case "toml": self = .document(.toml)
    case "ndjson", "jsonl": self = .lines(.ndjson)
    case "csv": self = .lines(.csv)
    case "tsv", "tab": self = .lines(.tsv)
    case "txt", "list", "lst", "urls", "sha256": self = .lines(.sources)
    default: return nil
    }
  }

  /// What the first bytes look like, for standard input and files without a telling name. The first line that
  /// isn't blank or a comment decides: a JSON object that is complete is NDJSON, `imagemill: 1` or another key of
  /// the manifest is YAML, and what is nothing else is a source.
  package init(sniffing start: some Collection<UInt8>) {
    let hasMark = start.starts(with: [0xEF, 0xBB, 0xBF])
    let text = String(decoding: start.dropFirst(hasMark ? 3 : 0).prefix(65536), as: UTF8.self)
    let line = text.split(whereSeparator: \.isNewline).first { line in
      let first = line.first { !$0.isWhitespace }
      return first != nil && first != "#"
    }
    let words = line.map { $0.drop(while: \.isWhitespace) } ?? ""
    if words.hasPrefix("{") {
      self = Self.isRecord(words) ? .lines(.ndjson) : .document(.json)
      return
    }
    let key = words.prefix { $0.isLetter || $0 == "-" }
    let after = words[key.endIndex...].drop { $0 == " " }
    let isKey = KeyTable.manifest[String(key)] != nil
    if words.hasPrefix("---") || words.hasPrefix("%YAML") || (isKey && after.hasPrefix(":")) {
      self = .document(.yaml)
    } else if (isKey && after.hasPrefix("=")) || words.hasPrefix("[[") {
      self = .document(.toml)
    } else {
      self = .lines(Self.rowForm(ofHeader: words) ?? .sources)
    }
  }

  /// The form of a header line that names the column of the sources and at least one more.
  private static func rowForm(ofHeader line: Substring) -> LineForm? {
    for (separator, form) in [(UInt8(ascii: ","), LineForm.csv), (UInt8(ascii: "\t"), .tsv)] {
      guard line.utf8.contains(separator) else { continue }
      do {
        let cells = try DelimitedRow.cells(of: Array(line.utf8), separator: separator)
        if cells.contains(where: { $0.text == "source" }) { return form }
      } catch {
        // No header: a source may hold what a cell may not.
        continue
      }
    }
    return nil
  }

  /// Whether the line is a whole object, and none that begins a manifest.
  private static func isRecord(_ line: Substring) -> Bool {
    do {
      let object = try JSONNodes.read(line)
      return object["imagemill"] == nil && object["jobs"] == nil
    } catch {
      // An object that goes on in the next line; whoever reads it says what is wrong, if anything is.
      return false
    }
  }
}
