import ImageCaches
import SystemIO

/// Reads the rows of a table, a list or a pattern.
///
/// It reads regular files only, so it may block the calling thread.
final class RowReader {
  private enum Input {
    case records(LineForm)
    case files
  }

  private let name: String
  private let input: Input
  private var reader: RecordReader?
  private var walk: GlobWalk?
  /// The file of the walk after the one that was returned last.
  private var found: GlobWalk.Found?
  private var expected: ArraySlice<String>
  private var records: ArraySlice<Record> = []
  private var isAtEnd = false
  /// The header's names; nil without a header.
  private(set) var columns: [String]?

  /// Opens the table.
  /// - Throws: `RowFailure` if the file can't be opened or the header is wrong.
  init(_ table: RowTable) throws(RowFailure) {
    name = table.name
    expected = table.expected[...]
    switch table.kind {
    case .files(let pattern):
      input = .files
      walk = GlobWalk(pattern, in: table.directory)
      found = walk?.next()
      reader = nil
    case .records(let form):
      input = .records(form)
      let separator: UInt8? =
        switch form {
        case .csv: UInt8(ascii: ",")
        case .tsv: UInt8(ascii: "\t")
        case .sources, .ndjson: nil
        }
      reader = RecordReader(
        file: try RowTable.open(table.name), prefix: [], splitter: RecordSplitter(separator: separator))
      if separator != nil { columns = try header() }
    }
  }

  /// The next row, or an error in it; nil at the end.
  func next() -> Result<Row, ManifestDiagnostic>? {
    if case .files = input { return nextFile() }
    while let record = nextRecord() {
      switch record {
      case .failure(let diagnostic): return .failure(diagnostic)
      case .success(let record):
        if let row = row(record) { return row }
      }
    }
    return nil
  }

  private func nextFile() -> Result<Row, ManifestDiagnostic>? {
    switch found {
    case nil: return expected.popFirst().map(Self.row)
    case .file(let path):
      if let next = expected.first, Paths.isBefore(next, path) { return Self.row(expected.removeFirst()) }
      // It has been made meanwhile.
      if expected.first?.utf8.elementsEqual(path.utf8) == true { expected.removeFirst() }
      found = walk?.next()
      return Self.row(path)
    case .failure(let path, let message):
      found = walk?.next()
      return .failure(ManifestDiagnostic(file: name, line: 0, column: 1, message: "'\(path)' \(message)"))
    }
  }

  private static func row(_ file: String) -> Result<Row, ManifestDiagnostic> {
    let cell = Row.Cell(name: RowTable.sourceColumn, text: file, json: JSONText.quoted(file), column: 1)
    return .success(Row(line: 0, record: nil, cells: [cell]))
  }

  // MARK: Records

  private func nextRecord() -> Result<Record, ManifestDiagnostic>? {
    while records.isEmpty {
      guard !isAtEnd else { return nil }
      do throws(RecordReader.Failure) {
        // poll(2) ignores a negative descriptor.
        records = try reader?.records(stop: -1)[...] ?? []
        isAtEnd = records.isEmpty
      } catch {
        isAtEnd = true
        guard case .unreadable(let message, let line) = error else { return nil }
        return .failure(ManifestDiagnostic(file: name, line: line, column: 1, message: message))
      }
    }
    return records.popFirst().map { .success($0) }
  }

  private func text(_ record: Record) -> Result<String, ManifestDiagnostic> {
    if let text = String(validating: record.bytes, as: UTF8.self) { return .success(text) }
    let isUTF16 = record.line == 1 && ManifestText.isUTF16(record.bytes)
    let shown = String(decoding: record.bytes, as: UTF8.self).unicodeScalars
    return .failure(
      wrong(
        record, column: isUTF16 ? 1 : shown.prefix { $0 != "\u{FFFD}" }.count + 1,
        isUTF16 ? ManifestText.utf16Message : "not UTF-8: save the table as UTF-8"))
  }

  private func wrong(_ record: Record, column: Int, _ message: String) -> ManifestDiagnostic {
    let line = record.bytes.prefix { $0 != UInt8(ascii: "\n") }
    return ManifestDiagnostic(
      file: name, line: record.line, column: column, message: message,
      sourceLine: line.count > 1 << 20 ? nil : String(decoding: line, as: UTF8.self))
  }

  /// The record's row, or an error; nil for a blank line or a comment.
  private func row(_ record: Record) -> Result<Row, ManifestDiagnostic>? {
    guard case .records(let form) = input, record.bytes.contains(where: { $0 > 0x20 }) else { return nil }
    switch text(record) {
    case .failure(let diagnostic): return .failure(diagnostic)
    case .success(let text):
      switch form {
      case .sources: return source(text, record)
      case .ndjson: return object(text, record)
      case .csv: return cells(text, record, separator: UInt8(ascii: ","))
      case .tsv: return cells(text, record, separator: UInt8(ascii: "\t"))
      }
    }
  }

  private func source(_ text: String, _ record: Record) -> Result<Row, ManifestDiagnostic>? {
    let source = text.drop { $0 == " " || $0 == "\t" }
    guard source.first != "#" else { return nil }
    let end = source.lastIndex { $0 != " " && $0 != "\t" }
    let line = end.map { source[...$0] } ?? ""
    let (digest, name): (ContentDigest?, String)
    switch PinnedLine.read(line) {
    case .plain: (digest, name) = (nil, String(line))
    case .pinned(let pin, let rest): (digest, name) = (pin, rest)
    case .otherDigest(let count):
      return .failure(wrong(record, column: 1, PinnedLine.problem(count)))
    }
    let cell = Row.Cell(name: RowTable.sourceColumn, text: name, json: JSONText.quoted(name), column: 1)
    return .success(Row(line: record.line, record: text, cells: [cell], pinnedDigest: digest))
  }

  private func object(_ text: String, _ record: Record) -> Result<Row, ManifestDiagnostic> {
    do throws(JSONNodes.Failure) {
      let node = try JSONNodes.read(bytes: record.bytes, line: record.line)
      guard let entries = node.entries else {
        return .failure(
          wrong(record, column: node.place.column, "a row must be a JSON object, not \(node.kind)"))
      }
      var seen: Set<String> = []
      for entry in entries where !seen.insert(entry.key).inserted {
        return .failure(wrong(record, column: entry.place.column, "duplicate key '\(entry.key)'"))
      }
      let cells = entries.map { entry in
        Row.Cell(
          name: entry.key, text: entry.value.scalar, json: entry.value.json, column: entry.value.place.column)
      }
      return .success(Row(line: record.line, record: text, cells: cells))
    } catch {
      return .failure(wrong(record, column: error.place.column, error.message))
    }
  }

  private func cells(
    _ text: String, _ record: Record, separator: UInt8
  ) -> Result<Row, ManifestDiagnostic> {
    do throws(DelimitedRow.Failure) {
      let cells = try DelimitedRow.cells(of: record.bytes, separator: separator)
      let columns = columns ?? []
      guard cells.count == columns.count else {
        return .failure(
          wrong(record, column: 1, "this row has \(cells.count) cells, but the header has \(columns.count)"))
      }
      let named = zip(columns, cells).map { name, cell in
        Row.Cell(name: name, text: cell.text, json: JSONText.quoted(cell.text), column: cell.column)
      }
      return .success(Row(line: record.line, record: text, cells: named))
    } catch {
      return .failure(wrong(record, column: error.column, error.message))
    }
  }

  private func header() throws(RowFailure) -> [String] {
    while let found = nextRecord() {
      let record: Record
      switch found {
      case .failure(let diagnostic): throw .diagnostics([diagnostic])
      case .success(let next): record = next
      }
      guard record.bytes.contains(where: { $0 > 0x20 }) else { continue }
      if case .failure(let diagnostic) = text(record) { throw .diagnostics([diagnostic]) }
      guard case .records(let form) = input else { break }
      let separator = form == .csv ? UInt8(ascii: ",") : UInt8(ascii: "\t")
      let cells: [DelimitedRow.Cell]
      do throws(DelimitedRow.Failure) {
        cells = try DelimitedRow.cells(of: record.bytes, separator: separator)
      } catch {
        throw .diagnostics([wrong(record, column: error.column, error.message)])
      }
      var seen: Set<String> = []
      for cell in cells {
        if cell.text.isEmpty {
          throw .diagnostics([wrong(record, column: cell.column, "a column has no name")])
        }
        if !seen.insert(cell.text).inserted {
          throw .diagnostics([
            wrong(record, column: cell.column, "two columns have the name '\(cell.text)': rename one")
          ])
        }
      }
      return cells.map(\.text)
    }
    throw .diagnostics([
      ManifestDiagnostic(
        file: name, line: 1, column: 1, message: "the table is empty: the first line must name the columns")
    ])
  }
}
