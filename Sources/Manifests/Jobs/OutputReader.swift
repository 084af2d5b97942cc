import ImageBatch
import ImageDownloads
import ImageFilters
import ImageRendering

/// Makes an output from its settings and one row of its matrix.
struct OutputReader {
  let context: JobContext
  let layers: OutputLayers
  let substitution: FieldSubstitution
  var placeholder: ImageSource?
  /// The parts that were read before, since they are the same for every row.
  var fixed = FixedParts()
  /// The names that rows will define, if there is no row yet.
  var rowNames: [String] = []
  /// Whether rows may define other names too.
  var hasOtherNames = false

  /// The parts of an output that are the same for every row; nil for those that vary or are wrong.
  struct FixedParts: Sendable {
    var template: OutputTemplate?
    var chain: FilterChain?
    var encoding: Encoding?
  }

  /// The output; nil, with an error in the log, if something is wrong.
  func output(at place: TextPlace, log: inout DiagnosticLog) -> JobOutput? {
    let template = fixed.template ?? template(log: &log)
    let chain = fixed.chain ?? chain(log: &log)
    // Each part is checked, so that one mistake doesn't hide another.
    let encoding = fixed.encoding ?? encoding(template, at: place, log: &log)
    let named = chain.flatMap { namedSources($0, at: place, log: &log) }
    let markup = markup(log: &log)
    guard let template, let chain, let encoding, let named, let markup else { return nil }
    guard log.budget.pay(chain: chain, variables: substitution.variables.count + substitution.matrix.count)
    else {
      log.exceeded(place)
      return nil
    }
    var output = JobOutput(template: template, chain: chain, encoding: encoding, variables: variables)
    output.chainText = chainText
    output.namedSources = named
    output.markup = markup == Markup() ? nil : markup
    return isPossible(output, at: place, log: &log) ? output : nil
  }

  var variables: [String: String] {
    // `auto` or a list of formats in a matrix can't be part of a path.
    substitution.variables.merging(
      substitution.matrix.filter { $0.key != "format" || EncoderTable.format(named: $0.value) != nil }
    ) { $1 }
  }

  // MARK: Template

  func template(log: inout DiagnosticLog) -> OutputTemplate? {
    guard let node = layers.output?["output"] ?? (layers.output == nil ? layers.job["output"] : nil) else {
      if let given = context.outputTemplate {
        guard isDefined(given, nil, log: &log) else { return nil }
        // The user has named the bucket, not the manifest.
        return given.isObject || staysInside(given, nil, log: &log) ? given : nil
      }
      // The job's reader reports a job without any path.
      if let output = layers.output { log.error(output.place, "an output needs 'output', its path") }
      return nil
    }
    guard let text = node.text else { return nil }
    guard !text.hasSuffix("/") else {
      log.error(node.place, OccupiedPlace.directory(text))
      return nil
    }
    do {
      let template = try OutputTemplate(parsing: text)
      guard isDefined(template, node, log: &log), staysInside(template, node, log: &log) else { return nil }
      if let mistake = template.objectMistake {
        log.error(node.place, "'\(template.text)': \(mistake)")
        return nil
      }
      return template
    } catch {
      log.error(node.place(ofOffset: error.offset), error.message)
      return nil
    }
  }

  private func isDefined(_ template: OutputTemplate, _ node: ManifestNode?, log: inout DiagnosticLog) -> Bool
  {
    let unknown = hasOtherNames ? [] : template.unknownFields(variables: variables.keys + rowNames)
    for field in unknown {
      let known =
        OutputTemplate.BuiltIn.allCases.map(\.rawValue) + Set(variables.keys).union(rowNames).sorted()
      log.error(
        node?.place(ofOffset: field.offset) ?? layers.job.place,
        "unknown field '{\(field.name)}'\(NearestName.hint(field.name, in: known))")
    }
    return unknown.isEmpty
  }

  /// Whether the path stays in the output directory. Fields can't change that: each value is one path component.
  private func staysInside(_ template: OutputTemplate, _ node: ManifestNode?, log: inout DiagnosticLog)
    -> Bool
  {
    guard !context.resolver.directory.allowsOutside, template.leavesDirectory else { return true }
    log.error(
      node?.place ?? layers.job.place,
      "'\(template.text)' is outside the output directory: move it inside"
        + context.resolver.directory.outsideHint)
    return false
  }

  // MARK: Chain

  /// The output's chain, with the command line's appended and the transition at its end. Each part is checked, so that one mistake
  /// doesn't hide another.
  func chain(log: inout DiagnosticLog) -> FilterChain? {
    var parts: [FilterChain?] = []
    let own = layers.own("filter") ?? matrixNode("filter") ?? layers.defaults?["filter"]
    if let own { parts.append(chain(own, log: &log)) }
    if let appended = context.appendedChain {
      do {
        parts.append(try appended.filled(substitution, context.resolver.directory))
      } catch {
        parts.append(nil)
        log.error(layers.job.place, context.hints.chain + error.message)
      }
    }
    if let node = layers["transition"] { parts.append(transition(node, log: &log)) }
    let found = parts.compactMap(\.self)
    guard found.count == parts.count else { return nil }
    if found.count == 1 { return found[0] }
    do {
      return try FilterChain(found)
    } catch {
      log.error((own ?? layers.output ?? layers.job).place, error.message)
      return nil
    }
  }

  private func chain(_ node: ManifestNode, log: inout DiagnosticLog) -> FilterChain? {
    let reader = ChainReader(named: context.named, substitution: substitution)
    guard let own = reader.chain(node, log: &log) else { return nil }
    // Font files must lie inside the manifest's directory, as sources must.
    do {
      return try own.placingFontFiles { (path: String) throws(SourceResolver.Failure) in
        try context.resolver.directory.inside(path)
      }
    } catch {
      log.error(node.place, error.message)
      return nil
    }
  }

  /// The sources that overlays and masks name. Paths from the manifest or from fields must lie inside its directory.
  func namedSources(
    _ chain: FilterChain, at place: TextPlace, log: inout DiagnosticLog
  ) -> [String: ImageSource]? {
    let given = context.appendedChain?.ownReferences ?? []
    var result: [String: ImageSource] = [:]
    for reference in chain.references {
      if reference == Self.placeholderName, layers["transition"] != nil, let placeholder {
        result[reference] = placeholder
      } else if let source = context.givenSources[reference] ?? context.sources[reference] {
        result[reference] = source
      } else if !given.contains(reference) {
        do {
          result[reference] = try context.resolver.resolve(reference)
        } catch {
          log.error((layers["transition"]?["from"] ?? layers["filter"])?.place ?? place, error.message)
          return nil
        }
      }
    }
    return result
  }

  // MARK: Encoding

  /// The matrix row's value for an output's key: `matrix: {format: [avif, webp]}` sets the format.
  func matrixNode(_ key: String) -> ManifestNode? {
    guard let value = substitution.matrix[key] else { return nil }
    return ManifestNode(.text(value), at: (layers.output ?? layers.job)["matrix"]?.place ?? layers.job.place)
  }

  /// The settings of all layers, and whether every one of them could be read.
  private func encodingSettings(
    _ template: OutputTemplate?, log: inout DiagnosticLog
  ) -> (settings: EncodingSettings, isWhole: Bool) {
    var failed = false
    func said(_ key: String, from node: ManifestNode?, log: inout DiagnosticLog) -> String? {
      guard let node,
        let text = node.scalar ?? node.list.map({ $0.compactMap(\.scalar).joined(separator: ",") })
      else { return nil }
      do {
        return try substitution.applied(to: text)
      } catch {
        failed = true
        log.error(node.place(ofOffset: error.offset), error.message)
        return nil
      }
    }
    func settings(_ find: (String) -> ManifestNode?, log: inout DiagnosticLog) -> EncodingSettings {
      var result = EncodingSettings()
      result.format = said("format", from: find("format"), log: &log)
      result.quality = said("quality", from: find("quality"), log: &log)
      result.metadata = said("metadata", from: find("metadata"), log: &log)
      result.background = said("background", from: find("background"), log: &log)
      result.frames = said("frames", from: find("frames"), log: &log)
      result.minSavings = said("min-savings", from: find("min-savings"), log: &log)
      result.orient = said("orient", from: find("orient"), log: &log)
      for entry in find("encode")?.entries ?? [] {
        result.options[entry.key] = said("encode", from: entry.value, log: &log)
      }
      if let node = find("profile"), let profile = said("profile", from: node, log: &log) {
        do {
          let isName = profile == "srgb" || profile == "keep"
          result.profile = isName ? profile : try context.resolver.directory.inside(profile)
        } catch {
          failed = true
          log.error(node.place, error.message)
        }
      }
      if let node = find("max-bytes"), let text = said("max-bytes", from: node, log: &log) {
        result.maxBytes = ByteSize.bytes(text)
        if result.maxBytes == nil {
          failed = true
          log.error(
            node.place, "'max-bytes' must be a number of bytes or a size such as 200kB or 1MiB, not '\(text)'"
          )
        }
      }
      return result
    }
    func settings(of node: ManifestNode?, log: inout DiagnosticLog) -> EncodingSettings {
      // Most jobs have none, and each key is looked up by itself.
      guard let node, node.entries?.contains(where: { Self.encodingKeys.contains($0.key) }) == true else {
        return EncodingSettings()
      }
      return settings({ node[$0] }, log: &log)
    }
    let defaults = settings(of: layers.defaults, log: &log)
    let ofMatrix =
      substitution.matrix.isEmpty ? EncodingSettings() : settings({ matrixNode($0) }, log: &log)
    let own = ofMatrix.overridden(by: settings(of: layers.job, log: &log))
      .overridden(by: settings(of: layers.output, log: &log))
    let pathExtension = template.flatMap(pathExtension(of:))
    // An extension overrides a default format.
    let overridesFormat = !context.encodingIsOwn && pathExtension != nil
    func layered(_ defaults: EncodingSettings, _ given: EncodingSettings) -> EncodingSettings {
      let above = given.overridden(by: own)
      let preferred = context.preferredEncoding.fitting(above, pathExtension: pathExtension)
      let middle = defaults.overridden(by: preferred)
      let fallback = context.fallbackEncoding.fitting(
        middle.overridden(by: above), pathExtension: pathExtension)
      var base = fallback.overridden(by: middle).overridden(by: given)
      if overridesFormat {
        base.format = nil
        base.minSavings = nil
      }
      return base.overridden(by: own)
    }
    // Defaults are for outputs of several formats: each output ignores the options of others' encoders. So are the command
    // line's, for the outputs of a manifest.
    var (applicable, given) = (defaults, context.encoding)
    let names = Set(defaults.options.keys).union(given.options.keys)
    guard !names.isEmpty || defaults.profile != nil || given.profile != nil else {
      return (layered(defaults, given), !failed)
    }
    var plain = EncodingSettings()
    plain.format = layered(defaults, given).format
    if !Encoding.holdsProfile(plain, pathExtension: pathExtension) {
      applicable.profile = nil
      if !context.encodingIsOwn { given.profile = nil }
    }
    for name in names
    where Encoding.isOption(name) && !Encoding.isOption(name, of: plain, pathExtension: pathExtension) {
      applicable.options[name] = nil
      if !context.encodingIsOwn { given.options[name] = nil }
    }
    return (layered(applicable, given), !failed)
  }

  func encoding(
    _ template: OutputTemplate?, at place: TextPlace, log: inout DiagnosticLog
  ) -> Encoding? {
    let (settings, isWhole) = encodingSettings(template, log: &log)
    let encoding = encoding(settings, template, at: place, log: &log)
    return isWhole ? encoding : nil
  }

  private func encoding(
    _ settings: EncodingSettings, _ template: OutputTemplate?, at place: TextPlace, log: inout DiagnosticLog
  ) -> Encoding? {
    let pathExtension = template.flatMap(pathExtension(of:))
    do {
      let encoding = try Encoding(resolving: settings, pathExtension: pathExtension)
      try checkQuality(encoding)
      try template?.checkFormat(of: encoding)
      return encoding
    } catch {
      var mistakes = Encoding.mistakes(in: settings, pathExtension: pathExtension)
      if mistakes.isEmpty { mistakes = [error] }
      for mistake in mistakes where template != nil || mistake.code != .noFormat {
        report(mistake, at: place, log: &log)
      }
      return nil
    }
  }

  /// The path's extension, which may be a variable.
  func pathExtension(of template: OutputTemplate) -> String? {
    if let literal = template.literalPathExtension { return literal }
    guard let field = template.fields.last, template.text.hasSuffix(".{\(field.name)}") else { return nil }
    return variables[field.name]
  }
}
