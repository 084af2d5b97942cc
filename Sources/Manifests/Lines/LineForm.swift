/// The form of a stream of jobs, one job per record.
package enum LineForm: String, Sendable, CaseIterable {
  /// One source per line. `HASH  SOURCE`, as printed by sha256sum, pins the content. Lines that begin with `#` are
  /// comments.
  case sources
  /// One JSON object per line, with a job's keys. Other keys are fields.
  case ndjson
  /// RFC 4180 with a header line: columns with the name of a job's key set that key, others are fields.
  case csv
  /// Same as `csv`, with tabs.
  case tsv
}

/// The kind of a manifest: a document, or a stream of lines.
package enum ManifestKind: Sendable, Hashable {
  case document(ManifestReader.Form)
  case lines(LineForm)

  /// The kind by the file name's extension, without `.gz`; nil if it is unknown.
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

  /// The kind by the first line that isn't blank or a comment, for standard input and unknown extensions: a complete
  /// JSON object is NDJSON, a manifest's key such as `imagemill: 1` is YAML, and anything unrecognized is a source.
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

  /// CSV or TSV, if the line is a header with the column `source` and at least one more.
  private static func rowForm(ofHeader line: Substring) -> LineForm? {
    for (separator, form) in [(UInt8(ascii: ","), LineForm.csv), (UInt8(ascii: "\t"), .tsv)] {
      guard line.utf8.contains(separator) else { continue }
      do {
        let cells = try DelimitedRow.cells(of: Array(line.utf8), separator: separator)
        if cells.contains(where: { $0.text == "source" }) { return form }
      } catch {
        // Not a header: a source may contain characters that a cell may not.
        continue
      }
    }
    return nil
  }

  /// Whether the line is a complete object that isn't a manifest.
  private static func isRecord(_ line: Substring) -> Bool {
    do {
      let object = try JSONNodes.read(line)
      return object["imagemill"] == nil && object["jobs"] == nil
    } catch {
      // The object continues in the next line, or is wrong, which its reader reports.
      return false
    }
  }
}
