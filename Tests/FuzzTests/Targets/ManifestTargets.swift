import ImageBatch

@testable import Manifests

extension FuzzTarget {
  /// Documents. One that is read, and printed as JSON, is the same document to the readers of JSON and YAML.
  static let documents = ManifestReader.Form.allCases.map { form in
    FuzzTarget(name: form.rawValue) { bytes in
      var options = ManifestOptions()
      // Rows are read from files below it.
      options.directory = "/nonexistent"
      switch Result(catching: { () throws(ManifestErrors) in
        try ManifestReader(options).read(bytes, name: "m", form: form)
      }) {
      case .success(let manifest):
        try require(manifest.jobs.map(\.index) == manifest.jobs.map(\.index).sorted(), "unordered jobs")
      case .failure(let errors):
        try require(!errors.diagnostics.isEmpty, "refused without an error")
        for diagnostic in errors.diagnostics {
          try require(diagnostic.line >= 1 && diagnostic.column >= 1, "\(diagnostic)")
          try require(!diagnostic.message.isEmpty, "an error without a message")
        }
      }
      guard let text = accepted({ () throws(ManifestErrors) in try ManifestText(name: "m", bytes: bytes) }),
        let root = root(of: text, form)
      else { return }
      let printed = PlainNode(root).json
      let json = accepted { () throws(JSONNodes.Failure) in try JSONNodes.read(printed) }
      try require(json.map(PlainNode.init), is: PlainNode(root), "printed as JSON")
      let yaml = FuzzTarget.root(of: ManifestText(name: "m", text: printed), .yaml)
      try require(yaml.map(PlainNode.init), is: PlainNode(root), "printed as JSON, read as YAML")
    }
  }

  private static func root(of text: ManifestText, _ form: ManifestReader.Form) -> ManifestNode? {
    switch form {
    case .yaml:
      var log = DiagnosticLog(text)
      let root = YAMLNodes.read(text, log: &log)
      return log.isEmpty ? root : nil
    case .json: return accepted { () throws(JSONNodes.Failure) in try JSONNodes.read(text.text) }
    case .toml: return accepted { () throws(TOMLNodes.Failure) in try TOMLNodes.read(text.text) }
    }
  }

  /// Streams of records.
  static let lines = LineForm.allCases.map { form in
    FuzzTarget(name: form.rawValue) { bytes in
      let separator: UInt8? =
        switch form {
        case .csv: UInt8(ascii: ",")
        case .tsv: UInt8(ascii: "\t")
        case .sources, .ndjson: nil
        }
      let records = split(bytes, by: separator, pieces: bytes.count + 1)
      // The pieces in which a stream arrives make no difference.
      try require(split(bytes, by: separator, pieces: 1), is: records, "byte by byte")
      var options = ManifestOptions()
      options.directory = "/nonexistent"
      options.outputTemplate = try OutputTemplate(parsing: "{index}-{name}.png")
      var parser = try RecordParser(name: "m", options: LineOptions(form), manifest: options)
      for record in records {
        switch parser.parse(record) {
        case .success(let job): try require(!job.sources.isEmpty, "a job without a source")
        case .failure(let diagnostic):
          try require(diagnostic.line >= 1 && diagnostic.column >= 1, "\(diagnostic)")
        case nil: continue
        }
        if let separator { try checkCells(record.bytes, separator) }
      }
      _ = ManifestKind(sniffing: bytes)
    }
  }

  private static func split(_ bytes: [UInt8], by separator: UInt8?, pieces: Int) -> [Record] {
    var splitter = RecordSplitter(separator: separator)
    var records: [Record] = []
    var rest = bytes[...]
    repeat {
      splitter.append(rest.prefix(pieces))
      rest = rest.dropFirst(pieces)
      while let record = splitter.next() { records.append(record) }
    } while !rest.isEmpty
    if let last = splitter.last() { records.append(last) }
    return records
  }

  /// The cells of a row are those of the row in which each of them is quoted.
  private static func checkCells(_ bytes: [UInt8], _ separator: UInt8) throws(Finding) {
    guard String(validating: bytes, as: UTF8.self) != nil,
      let cells = accepted({ () throws(DelimitedRow.Failure) in
        try DelimitedRow.cells(of: bytes, separator: separator)
      })
    else { return }
    let quote = UInt8(ascii: "\"")
    let quoted = cells.map { cell in
      [quote] + cell.text.utf8.flatMap { $0 == quote ? [$0, $0] : [$0] } + [quote]
    }
    let row = Array(quoted.joined(separator: [separator]))
    let again = accepted { () throws(DelimitedRow.Failure) in
      try DelimitedRow.cells(of: row, separator: separator)
    }
    try require(
      again?.map(\.text), is: cells.map(\.text), "the quoted row '\(String(decoding: row, as: UTF8.self))'")
    try require(split(row, by: separator, pieces: 1).count == 1, "a quoted row is several records")
  }
}

/// A node without its places. Numbers and booleans are compared by their text.
private indirect enum PlainNode: Equatable {
  case null
  case plain(String)
  case text(String)
  case list([PlainNode])
  case mapping([String], [PlainNode])

  init(_ node: ManifestNode) {
    switch node.value {
    case .null: self = .null
    case .bool(let flag): self = .plain(flag ? "true" : "false")
    // JSON has no other notations, such as 0x10.
    case .number(let text): self = .text(text)
    case .text(let text): self = .text(text)
    case .list(let nodes): self = .list(nodes.map(PlainNode.init))
    case .mapping(let entries): self = .mapping(entries.map(\.key), entries.map { PlainNode($0.value) })
    }
  }

  var json: String {
    switch self {
    case .null: "null"
    case .plain(let text): text
    case .text(let text): Self.quoted(text)
    case .list(let nodes): "[" + nodes.map(\.json).joined(separator: ", ") + "]"
    case .mapping(let keys, let nodes):
      "{" + zip(keys, nodes).map { "\(Self.quoted($0)): \($1.json)" }.joined(separator: ", ") + "}"
    }
  }

  private static func quoted(_ text: String) -> String {
    text.unicodeScalars.reduce(into: "\"") { result, scalar in
      if scalar == "\"" || scalar == "\\" {
        result += "\\"
        result.unicodeScalars.append(scalar)
      } else if (32..<127).contains(scalar.value) || scalar.value > 0xFFFF {
        result.unicodeScalars.append(scalar)
      } else {
        let digits = String(scalar.value, radix: 16)
        result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      }
    } + "\""
  }
}
