import ImageBatch
import ImageCaches
import ImageDownloads
import SystemIO

/// Makes a `Job` from its mapping, whose keys have been checked.
struct JobReader {
  let context: JobContext
  let file: String
  /// The values of a row's columns; nil for other jobs, whose sources have no fields.
  var values: FieldSubstitution?

  /// The job; nil, with an error in the log, if something in it is wrong.
  func job(_ node: ManifestNode, index: Int, log: inout DiagnosticLog) -> Job? {
    let sources = sources(of: node, log: &log)
    let digest = digest(of: node, log: &log)
    let placeholder = placeholder(of: node, log: &log)
    let priority = priority(of: node, log: &log)
    let fields = context.allowsOtherKeys ? ownFields(of: node) : []
    let count =
      (context.defaults?["variables"]?.entries?.count ?? 0) + (node["variables"]?.entries?.count ?? 0)
    guard log.budget.pay(variables: count) else {
      log.exceeded(node.place)
      return nil
    }
    var job = Job(index: index, sources: sources ?? [], outputs: [])
    job.sourceDirectory = sources?.first.map(context.root.directory)
    let values = FieldSubstitution(
      matrix: [:], variables: variables(of: node), builtIn: SourceFields.values(job))
    let outputs = outputs(of: node, values: values, placeholder: placeholder, log: &log)
    guard sources != nil, let priority, let outputs else { return nil }
    job.outputs = outputs
    job.pinnedDigest = digest
    job.placeholder = placeholder
    job.priority = priority
    job.isProgressive = isProgressive(node)
    job.location = location(node.place)
    job.fields = fields.map { .init(name: $0.key, json: $0.value.json) }
    return job
  }

  func isProgressive(_ node: ManifestNode) -> Bool {
    (node["publish"] ?? context.defaults?["publish"])?.text == "progressive"
  }

  func location(_ place: TextPlace) -> ManifestLocation {
    ManifestLocation(file: file, line: place.line, column: place.column)
  }

  // MARK: Sources

  func sources(of node: ManifestNode, log: inout DiagnosticLog) -> [ImageSource]? {
    guard let source = node["source"] else { return nil }
    let members = source.list ?? [source]
    let found = members.compactMap { member in self.source(member, log: &log) }
    return found.count == members.count && !found.isEmpty ? found : nil
  }

  private func source(_ node: ManifestNode, log: inout DiagnosticLog) -> ImageSource? {
    guard let text = filledIn(node, log: &log) else { return nil }
    do {
      return try context.resolver.resolve(text)
    } catch {
      log.error(node.place, error.message)
      return nil
    }
  }

  func placeholder(of node: ManifestNode, log: inout DiagnosticLog) -> ImageSource? {
    guard let value = node["placeholder"] ?? context.defaults?["placeholder"],
      let text = filledIn(value, log: &log)
    else { return nil }
    return context.givenSources[text] ?? context.sources[text] ?? source(value, log: &log)
  }

  func digest(of node: ManifestNode, log: inout DiagnosticLog) -> ContentDigest? {
    guard let value = node["sha256"], let text = filledIn(value, log: &log) else { return nil }
    let digest = ContentDigest(hex: text)
    if digest == nil {
      log.error(
        value.place, "'sha256' must be 64 hexadecimal digits, as printed by sha256sum; this has \(text.count)"
      )
    }
    return digest
  }

  func priority(of node: ManifestNode, log: inout DiagnosticLog) -> Int? {
    guard let value = node["priority"] ?? context.defaults?["priority"] else { return 0 }
    guard let text = value.text == nil ? value.scalar : filledIn(value, log: &log) else { return nil }
    guard let priority = Int(text) else {
      log.error(value.place, "'priority' must be a whole number, not '\(text)'")
      return nil
    }
    return priority
  }

  /// The text with a row's values filled in.
  private func filledIn(_ node: ManifestNode, log: inout DiagnosticLog) -> String? {
    guard let text = node.text, let values else { return node.text }
    do {
      return try values.applied(to: text)
    } catch {
      log.error(node.place(ofOffset: error.offset), error.message)
      return nil
    }
  }

  // MARK: Variables

  private func ownFields(of node: ManifestNode) -> [ManifestNode.Entry] {
    (node.entries ?? []).filter { KeyTable.record[$0.key] == nil }
  }

  func variables(of node: ManifestNode) -> [String: String] {
    var result: [String: String] = [:]
    if context.allowsOtherKeys {
      for field in ownFields(of: node) { result[field.key] = field.value.scalar }
    }
    for mapping in [context.defaults?["variables"], node["variables"]] {
      for entry in mapping?.entries ?? [] { result[entry.key] = entry.value.scalar ?? result[entry.key] }
    }
    return result
  }

  // MARK: Outputs

  /// An output definition: `output`, or a member of `outputs`.
  struct Definition {
    var layers: OutputLayers
    /// One output for each row of its matrix.
    var matrix: [[String: String]]
    var place: TextPlace
    /// The matrix whose rows can't be made, so that the output is checked without them; nil for any other.
    var wrongMatrix: ManifestNode?
  }

  private func definition(
    _ layers: OutputLayers, at place: TextPlace, matrix: ManifestNode?, log: inout DiagnosticLog
  ) -> Definition {
    guard !MatrixRows.isWrong(matrix), let rows = MatrixRows.read(matrix, log: &log) else {
      return Definition(layers: layers, matrix: [], place: place, wrongMatrix: matrix)
    }
    return Definition(layers: layers, matrix: rows, place: place)
  }

  private func outputs(
    of node: ManifestNode, values: FieldSubstitution, placeholder: ImageSource?, log: inout DiagnosticLog
  ) -> [JobOutput]? {
    guard let definitions = definitions(of: node, log: &log) else { return nil }
    let found = definitions.map { expanded($0, values, placeholder, log: &log) }
    let complete = found.compactMap(\.self)
    guard complete.count == found.count else { return nil }
    for (definition, outputs) in zip(definitions, complete) {
      checkQuality(definition.layers.output?["quality"], of: outputs, log: &log)
    }
    checkQuality(node["quality"], of: complete.flatMap(\.self), log: &log)
    return complete.flatMap(\.self)
  }

  /// Reports a `quality` for several outputs, or for the rows of a matrix, none of which has one.
  private func checkQuality(_ quality: ManifestNode?, of outputs: [JobOutput], log: inout DiagnosticLog) {
    guard let quality, !outputs.isEmpty, !outputs.contains(where: \.encoding.hasQuality) else { return }
    let formats = outputs.map(\.encoding.formatText).reduce(into: [String]()) {
      if !$0.contains($1) { $0.append($1) }
    }
    log.error(
      quality.place,
      "\(formats.joined(separator: ", ")) \(formats.count == 1 ? "has" : "have") no quality: remove 'quality'"
    )
  }

  /// The output definitions; nil, with an error in the log, if one is wrong. A job without a path has one, so that its other
  /// settings are checked.
  func definitions(of node: ManifestNode, log: inout DiagnosticLog) -> [Definition]? {
    let layers = OutputLayers(defaults: context.defaults, job: node)
    guard let outputs = node["outputs"] else {
      if node["output"] == nil, context.outputTemplate == nil {
        let hint = context.allowsOtherKeys ? context.hints.noTemplate : ""
        log.error(node.place, "a job needs 'output' or 'outputs'\(hint)")
      }
      return [definition(layers, at: node.place, matrix: node["matrix"], log: &log)]
    }
    for key in ["output", "matrix"] {
      guard let place = node.entries?.first(where: { $0.key == key })?.place else { continue }
      log.error(place, "'\(key)' can't be used with 'outputs': move it into a member of 'outputs'")
    }
    guard let members = outputs.list else { return nil }
    guard Self.outputCount(of: node) <= ExpansionBudget.outputsOfJob else {
      log.error(
        outputs.place,
        "the job has more than \(ExpansionBudget.outputsOfJob) outputs: split it into several jobs")
      return nil
    }
    let found = members.map { member -> Definition? in
      guard member.entries != nil else { return nil }
      return definition(
        layers.with(output: member), at: member.place, matrix: member["matrix"], log: &log)
    }
    let complete = found.compactMap(\.self)
    return complete.count == found.count ? complete : nil
  }

  /// The number of outputs that a job's mapping expands to.
  static func outputCount(of node: ManifestNode) -> Int {
    guard let members = node["outputs"]?.list else { return MatrixRows.count(node["matrix"]) }
    return members.reduce(0) { min($0 + MatrixRows.count($1["matrix"]), .max / 2) }
  }

  /// The outputs of a definition, one for each row of its matrix.
  private func expanded(
    _ definition: Definition, _ values: FieldSubstitution, _ placeholder: ImageSource?,
    log: inout DiagnosticLog
  ) -> [JobOutput]? {
    guard definition.wrongMatrix == nil else {
      check(definition, values, placeholder, log: &log)
      return nil
    }
    var result: [JobOutput] = []
    var wrong = 0
    for row in definition.matrix where !log.budget.isExhausted {
      var substitution = values
      substitution.matrix = row
      let reader = OutputReader(
        context: context, layers: definition.layers, substitution: substitution, placeholder: placeholder)
      guard var output = reader.output(at: definition.place, log: &log) else {
        // Most mistakes are those of every row, and the log drops their repetitions.
        wrong += 1
        guard wrong < Self.mostWrongRows else { return nil }
        continue
      }
      output.location = location(definition.place)
      result.append(output)
    }
    return wrong == 0 ? result : nil
  }

  static let mostWrongRows = 20

  /// Checks what doesn't depend on the rows of a matrix that can't be read.
  private func check(
    _ definition: Definition, _ values: FieldSubstitution, _ placeholder: ImageSource?,
    log: inout DiagnosticLog
  ) {
    let names = definition.wrongMatrix?.entries?.map(\.key)
    var reader = OutputReader(
      context: context, layers: definition.layers, substitution: values, placeholder: placeholder)
    reader.rowNames = names ?? []
    reader.hasOtherNames = names == nil
    _ = reader.fixedParts(at: definition.place, log: &log) { node in
      node.strings.contains { text in
        // An unclosed brace is reported where its field is filled in.
        guard text.contains("{"), let fields = try? FieldText(parsing: text).fields.map(\.name) else {
          return false
        }
        return fields.contains { names?.contains($0) ?? !values.defines($0) }
      }
    }
  }
}

extension ManifestNode {
  /// All strings in the node.
  fileprivate var strings: [String] {
    switch value {
    case .null, .bool, .number: []
    case .text(let text): [text]
    case .list(let members): members.flatMap(\.strings)
    case .mapping(let entries): entries.flatMap(\.value.strings)
    }
  }

  /// The value as JSON text.
  var json: String {
    switch value {
    case .null: "null"
    case .bool(let flag): flag ? "true" : "false"
    // JSON lacks some of YAML's and TOML's number formats, but only JSON and CSV records have fields.
    case .number(let text): text
    case .text(let text): JSONText.quoted(text)
    case .list(let nodes): "[" + nodes.map(\.json).joined(separator: ",") + "]"
    case .mapping(let entries):
      "{" + entries.map { JSONText.quoted($0.key) + ":" + $0.value.json }.joined(separator: ",") + "}"
    }
  }
}
