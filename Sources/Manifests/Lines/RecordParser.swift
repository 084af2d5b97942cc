import ImageBatch
import ImageCaches
import ImageDownloads
import ImageFilters
import ImageRendering

/// Makes a job from each record.
struct RecordParser: Sendable {
  let name: String
  let options: LineOptions
  let context: JobContext
  /// The output of bare lines; if the chain has fields, each line gets its own output.
  private let commonOutput: JobOutput?
  /// The header's cells, once it has been read.
  private var columns: [String]?
  var index: Int
  /// The records whose path is the template of the command line, which has no field.
  var constantRecords = 0

  /// - Throws: `ManifestErrors` if the records are bare lines and the command line's template or encoding is wrong.
  init(name: String, options: LineOptions, manifest: ManifestOptions) throws(ManifestErrors) {
    self.name = name
    self.options = options
    var context = JobContext(manifest)
    context.encodingIsOwn = true
    context.allowsOtherKeys = true
    self.context = context
    index = options.firstIndex
    var log = DiagnosticLog(ManifestText(name: name, text: ""))
    if options.form == .sources {
      guard manifest.outputTemplate != nil else {
        let message = "a list has no output paths" + manifest.hints.noTemplate
        throw ManifestErrors([.init(file: name, line: 1, column: 1, message: message)])
      }
      if let field = manifest.appendedChain?.fields.first(where: { !SourceFields.names.contains($0) }) {
        let message = manifest.hints.chain + FieldSubstitution.unknown(field, among: [], inOption: true)
        throw ManifestErrors([.init(file: name, line: 1, column: 1, message: message)])
      }
      var common = context
      if manifest.appendedChain?.isFixed == false { common.appendedChain = nil }
      commonOutput = Self.output(common, [:], &log)
    } else {
      commonOutput = nil
    }
    try log.throwIfAny()
  }

  /// The output of a bare line, with the fields of its source.
  private static func output(
    _ context: JobContext, _ values: [String: String], _ log: inout DiagnosticLog
  ) -> JobOutput? {
    let place = TextPlace(line: 1, column: 1)
    let layers = OutputLayers(defaults: nil, job: ManifestNode(.mapping([]), at: place))
    return OutputReader(
      context: context, layers: layers,
      substitution: FieldSubstitution(matrix: [:], variables: [:], builtIn: values)
    ).output(at: place, log: &log)
  }

  /// The record's job, or an error; nil for a blank line, a comment or the header.
  mutating func parse(_ record: Record) -> Result<Job, ManifestDiagnostic>? {
    if record.bytes.allSatisfy({ $0 == 0x20 || $0 == 0x09 || $0 == 0x0D }) { return nil }
    guard let text = String(validating: record.bytes, as: UTF8.self) else {
      let isUTF16 = record.line == 1 && ManifestText.isUTF16(record.bytes)
      let shown = String(decoding: record.bytes, as: UTF8.self).unicodeScalars
      let column = isUTF16 ? 1 : shown.prefix { $0 != "\u{FFFD}" }.count + 1
      let isName = options.isNULSeparated && options.form == .sources
      let remedy = isName ? "rename the file" : "save the list as UTF-8"
      return unreadable(record, column: column, isUTF16 ? ManifestText.utf16Message : "not UTF-8: \(remedy)")
    }
    switch options.form {
    case .sources: return source(text, record)
    case .ndjson:
      do {
        let node = try JSONNodes.read(bytes: record.bytes, line: record.line)
        return job(node, text, record).mapError { diagnostic in
          var diagnostic = diagnostic
          diagnostic.isUnreadable = node.entries == nil
          return diagnostic
        }
      } catch {
        return unreadable(record, column: error.place.column, error.message)
      }
    case .csv: return row(text, record, separator: UInt8(ascii: ","))
    case .tsv: return row(text, record, separator: UInt8(ascii: "\t"))
    }
  }

  private mutating func failed(_ record: Record, column: Int, _ message: String) -> Result<
    Job, ManifestDiagnostic
  > {
    index += 1
    // The excerpt is one line, and none at all if it has megabytes.
    let line = record.bytes.prefix { $0 != UInt8(ascii: "\n") }
    return .failure(
      ManifestDiagnostic(
        file: name, line: record.line, column: column, message: message,
        sourceLine: line.count > 1 << 20 ? nil : String(decoding: line, as: UTF8.self)))
  }

  /// The error for a record whose fields aren't known.
  private mutating func unreadable(_ record: Record, column: Int, _ message: String) -> Result<
    Job, ManifestDiagnostic
  > {
    failed(record, column: column, message).mapError { diagnostic in
      var diagnostic = diagnostic
      diagnostic.isUnreadable = true
      return diagnostic
    }
  }

  // MARK: Sources

  private mutating func source(_ text: String, _ record: Record) -> Result<Job, ManifestDiagnostic>? {
    var source = text[...]
    if !options.isNULSeparated {
      source = source.drop { $0 == " " || $0 == "\t" }
      while let last = source.last, last == " " || last == "\t" { source.removeLast() }
      if source.first == "#" { return nil }
    }
    guard let commonOutput else { return nil }
    if !options.isNULSeparated, let column = Self.columnOfCarriageReturn(in: text) {
      return failed(record, column: column, DelimitedRow.carriageReturn)
    }
    let digest: ContentDigest?
    let rest: String
    switch PinnedLine.read(source) {
    case .plain: (digest, rest) = (nil, String(source))
    case .pinned(let pin, let name): (digest, rest) = (pin, name)
    case .otherDigest(let count):
      let column = text.unicodeScalars.distance(from: text.startIndex, to: source.startIndex) + 1
      return failed(record, column: column, PinnedLine.problem(count))
    }
    let isRepeated = isRepeatedConstant()
    do {
      var job = Job(
        index: index, sources: [try context.resolver.resolve(rest)], outputs: [commonOutput])
      if isRepeated { return reading(job.sources, refused(record, column: 1, constantTemplate)) }
      job.sourceDirectory = context.root.directory(of: job.sources[0])
      job.pinnedDigest = digest
      if context.appendedChain?.isFixed == false {
        var log = DiagnosticLog(ManifestText(name: name, text: text, firstLine: record.line))
        guard let own = Self.output(context, SourceFields.values(job), &log) else {
          return reading(
            job.sources,
            failed(record, column: 1, log.diagnostics.first?.message ?? "this line can't be read"))
        }
        job.outputs = [own]
      }
      job.location = ManifestLocation(file: name, line: record.line, column: 1)
      job.outputs[0].location = job.location
      index += 1
      return .success(job)
    } catch {
      let before = text.unicodeScalars.distance(from: text.startIndex, to: source.startIndex)
      let column = before + 1 + (digest == nil ? 0 : PinnedLine.nameOffset)
      let failure = failed(record, column: column, error.message)
      return isRepeated ? failure.mapError { alsoRefused($0, at: record) } : failure
    }
  }

  private static func columnOfCarriageReturn(in text: String) -> Int? {
    guard text.utf8.contains(UInt8(ascii: "\r")) else { return nil }
    return text.unicodeScalars.prefix { $0 != "\r" }.count + 1
  }

  /// The job of a source named on the command line.
  /// - Parameter directory: The source's directory, for `{dir}`.
  mutating func job(_ source: ImageSource, directory: String) -> Result<Job, ManifestDiagnostic> {
    if isRepeatedConstant() {
      var diagnostic = ManifestDiagnostic(file: name, line: 1, column: 1, message: constantTemplate)
      diagnostic.concernsInput = true
      return .failure(diagnostic)
    }
    var job = Job(index: index, sources: [source], outputs: commonOutput.map { [$0] } ?? [])
    index += 1
    job.sourceDirectory = directory
    guard context.appendedChain?.isFixed == false else { return .success(job) }
    var log = DiagnosticLog(ManifestText(name: name, text: ""))
    if let own = Self.output(context, SourceFields.values(job), &log) {
      job.outputs = [own]
      return .success(job)
    }
    return .failure(
      log.diagnostics.first ?? .init(file: name, line: 1, column: 1, message: "this source can't be read"))
  }

  // MARK: Rows

  private mutating func row(
    _ text: String, _ record: Record, separator: UInt8
  ) -> Result<Job, ManifestDiagnostic>? {
    let cells: [DelimitedRow.Cell]
    do {
      cells = try DelimitedRow.cells(of: record.bytes, separator: separator)
    } catch {
      return unreadable(record, column: error.column, error.message)
    }
    guard let columns else { return header(cells, separator, record) }
    guard !columns.isEmpty else { return nil }
    guard cells.count == columns.count else {
      return unreadable(
        record, column: 1, "this row has \(cells.count) cells, but the header has \(columns.count)")
    }
    let place = TextPlace(line: record.line, column: 1)
    // An empty cell leaves its key unset.
    let entries = zip(columns, cells).filter { !$0.1.text.isEmpty || KeyTable.record[$0.0] == nil }.map {
      column, cell in
      let place = TextPlace(line: record.line, column: cell.column)
      return ManifestNode.Entry(
        key: column, place: place, value: ManifestNode(.text(cell.text), at: place, textPlace: place))
    }
    return job(ManifestNode(.mapping(entries), at: place), text, record)
  }

  /// The hints of the program.
  var hints: ManifestHints { context.hints }

  private mutating func header(
    _ cells: [DelimitedRow.Cell], _ separator: UInt8, _ record: Record
  ) -> Result<Job, ManifestDiagnostic>? {
    let names = cells.map(\.text)
    // After a wrong header, rows are skipped.
    columns = []
    guard names.contains("source") else {
      let hint =
        Self.separatorHint(names, separator)
        ?? NearestName.of("source", in: names).map { " (is '\($0)' a typo?)" }
        ?? names.first { Self.foreignSources.contains($0.lowercased()) }.map { ": rename the column '\($0)'" }
        ?? ""
      return refused(record, column: 1, "the header line has no column 'source'\(hint)")
    }
    var seen: Set<String> = []
    for cell in cells where !seen.insert(cell.text).inserted {
      return refused(record, column: cell.column, "two columns have the name '\(cell.text)': rename one")
    }
    for cell in cells {
      guard let key = KeyTable.record[cell.text], !key.form.fitsCell else { continue }
      return refused(
        record, column: cell.column,
        "'\(key.name)' needs \(key.form.description), which a cell can't hold: write the list as NDJSON")
    }
    if let problem = unknownField(columns: names) ?? uselessQuality(columns: names) {
      return refused(record, column: 1, problem)
    }
    columns = names
    return nil
  }

  /// What other programs call the column of sources.
  private static let foreignSources: Set = [
    "url", "uri", "src", "image", "image_url", "path", "file", "filename",
  ]

  /// The error for a wrong header, after which no row can be read.
  private mutating func refused(_ record: Record, column: Int, _ message: String) -> Result<
    Job, ManifestDiagnostic
  > {
    failed(record, column: column, message).mapError { diagnostic in
      var diagnostic = diagnostic
      diagnostic.concernsInput = true
      return diagnostic
    }
  }

  /// The error if the command line's chain or template uses a field that isn't a column.
  private func unknownField(columns: [String]) -> String? {
    let variables = columns.filter { KeyTable.record[$0] == nil }
    for field in context.appendedChain?.fields ?? []
    where !variables.contains(field) && !SourceFields.names.contains(field) {
      return context.hints.chain + FieldSubstitution.unknown(field, among: variables)
    }
    guard !columns.contains("output"), let template = context.outputTemplate,
      let field = template.unknownFields(variables: variables).first
    else { return nil }
    let known = OutputTemplate.BuiltIn.allCases.map(\.rawValue) + variables
    return context.hints.template
      + "unknown field '{\(field.name)}'\(NearestName.hint(field.name, in: known))"
  }

  /// The error if the command line sets a quality and a format without one, for every row.
  private func uselessQuality(columns: [String]) -> String? {
    guard context.encoding.quality != nil, !columns.contains("output"), !columns.contains("format"),
      let template = context.outputTemplate
    else { return nil }
    do {
      let encoding = try Encoding(
        resolving: context.encoding, pathExtension: template.literalPathExtension)
      return encoding.hasQuality ? nil : "\(encoding.formatText) has no quality" + context.hints.noQuality
    } catch {
      // Each row reports it.
      return nil
    }
  }

  /// The hint for a header with another separator.
  private static func separatorHint(_ names: [String], _ separator: UInt8) -> String? {
    guard let other = DelimitedRow.otherSeparator(in: names, than: separator) else { return nil }
    let written = other == "\t" ? "tabs" : "'\(other)'"
    let wanted = separator == UInt8(ascii: ",") ? "commas" : "tabs"
    return ": its cells are separated by \(written); use \(wanted)"
  }

  // MARK: Jobs

  /// The job with its record's number as the line of all its places, if records may have several lines.
  private func located(_ job: Job, at record: Record) -> Job {
    guard options.isNULSeparated else { return job }
    var job = job
    job.location?.line = record.line
    for index in job.outputs.indices { job.outputs[index].location?.line = record.line }
    return job
  }

  private mutating func job(
    _ node: ManifestNode, _ text: String, _ record: Record
  ) -> Result<Job, ManifestDiagnostic> {
    var log = DiagnosticLog(ManifestText(name: name, text: text, firstLine: record.line))
    let node = ReportLine.job(node) ?? node
    let isRepeated = node["output"] == nil && node["outputs"] == nil && isRepeatedConstant()
    KeyTable.record.check(node, allowsOtherKeys: true, log: &log)
    let job =
      node.entries == nil ? nil : JobReader(context: context, file: name).job(node, index: index, log: &log)
    if isRepeated, log.isEmpty {
      return reading(sources(named: node), refused(record, column: 1, constantTemplate))
    }
    index += 1
    if let job, log.isEmpty { return .success(located(job, at: record)) }
    var found = log.diagnostics.sorted { ($0.line, $0.column) < ($1.line, $1.column) }
    if options.isNULSeparated {
      for index in found.indices where found[index].file == name { found[index].line = record.line }
    }
    guard var first = found.first else {
      return .failure(.init(file: name, line: record.line, column: 1, message: "this record can't be read"))
    }
    // A record has one result, to which its further mistakes belong.
    first.further = Array(found.dropFirst())
    first.reads = sources(named: node).compactMap(\.localPath)
    return .failure(isRepeated ? alsoRefused(first, at: record) : first)
  }
}
