import ImageBatch
import ImageDownloads
import ImageFilters

/// Makes one output of its settings and one row of its matrix.
struct OutputReader {
  let context: JobContext
  let layers: OutputLayers
  let substitution: FieldSubstitution
  /// The job's.
  var placeholder: ImageSource?
  /// What has been read already, because it is the same for every row.
  var fixed = FixedParts()
  /// The names that rows define, while there is no row.
  var rowNames: [String] = []
  /// Whether rows may define any other name.
  var hasOtherNames = false

  /// The parts of an output that don't differ from row to row; nil where they do, or where they are wrong.
  struct FixedParts: Sendable {
    var template: OutputTemplate?
    var chain: FilterChain?
    var encoding: Encoding?
  }

  /// The output; nil where something is wrong, which is then in the log.
  func output(at place: TextPlace, log: inout DiagnosticLog) -> Output? {
    let template = fixed.template ?? template(log: &log)
    let chain = fixed.chain ?? chain(log: &log)
    guard let template else { return nil }
    let encoding = fixed.encoding ?? encoding(template, at: place, log: &log)
    guard let chain, let encoding else { return nil }
    guard log.budget.pay(chain: chain, variables: substitution.variables.count + substitution.matrix.count)
    else {
      log.exceeded(place)
      return nil
    }
    var output = Output(template: template, chain: chain, encoding: encoding, variables: variables)
    guard let named = namedSources(chain, at: place, log: &log) else { return nil }
    output.namedSources = named
    guard let markup = markup(log: &log) else { return nil }
    output.markup = markup == Markup() ? nil : markup
    return isPossible(output, at: place, log: &log) ? output : nil
  }

  var variables: [String: String] {
    // What a matrix gives as `auto` or several formats is none that a path could bear.
    substitution.variables.merging(
      substitution.matrix.filter { $0.key != "format" || EncoderTable.format(named: $0.value) != nil }
    ) { $1 }
  }

  // MARK: Template

  func template(log: inout DiagnosticLog) -> OutputTemplate? {
    guard let node = layers.output?["output"] ?? (layers.output == nil ? layers.job["output"] : nil) else {
      if let given = context.outputTemplate {
        return isDefined(given, nil, log: &log) && staysInside(given, nil, log: &log) ? given : nil
      }
      log.error((layers.output ?? layers.job).place, "an output needs 'output', its path")
      return nil
    }
    guard let text = node.text else { return nil }
    do {
      let template = try OutputTemplate(parsing: text)
      return isDefined(template, node, log: &log) && staysInside(template, node, log: &log) ? template : nil
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
        "nothing defines '{\(field.name)}'\(NearestName.hint(field.name, in: known))")
    }
    return unknown.isEmpty
  }

  /// Whether the path stays in the directory of the outputs, whatever its fields stand for: a value is one component.
  private func staysInside(_ template: OutputTemplate, _ node: ManifestNode?, log: inout DiagnosticLog)
    -> Bool
  {
    guard !context.resolver.directory.allowsOutside, template.leavesDirectory else { return true }
    log.error(
      node?.place ?? layers.job.place,
      "'\(template.text)' lies outside the output directory: begin it inside"
        + context.resolver.directory.outsideHint)
    return false
  }

  // MARK: Chain

  func chain(log: inout DiagnosticLog) -> FilterChain? {
    var chain = FilterChain()
    let place = (layers.own("filter") ?? layers.defaults?["filter"] ?? layers.output ?? layers.job).place
    func joined(_ chains: FilterChain..., log: inout DiagnosticLog) -> FilterChain? {
      do {
        return try FilterChain(chains)
      } catch {
        log.error(place, error.message)
        return nil
      }
    }
    if let node = layers.own("filter") ?? matrixNode("filter") ?? layers.defaults?["filter"] {
      let reader = ChainReader(named: context.named, substitution: substitution)
      guard let own = reader.chain(node, log: &log) else { return nil }
      // A font file is a path of the manifest's, as a source is.
      do {
        chain = try own.placingFontFiles { (path: String) throws(SourceResolver.Failure) in
          try context.resolver.directory.inside(path)
        }
      } catch {
        log.error(node.place, error.message)
        return nil
      }
    }
    if let appended = context.appendedChain {
      do {
        let filled = try appended.filled(substitution, context.resolver.directory)
        guard let longer = joined(chain, filled, log: &log) else { return nil }
        chain = longer
      } catch {
        log.error(layers.job.place, "-f: \(error.message)")
        return nil
      }
    }
    guard let node = layers["transition"] else { return chain }
    guard let transition = transition(node, log: &log) else { return nil }
    return joined(chain, transition, log: &log)
  }

  /// What overlays and masks name. A path that the manifest or a field writes there is held to the manifest's
  /// directory.
  private func namedSources(
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

  /// A row's value for a key that is an output's: `matrix: {format: [avif, webp]}` sets the format.
  func matrixNode(_ key: String) -> ManifestNode? {
    guard let value = substitution.matrix[key] else { return nil }
    return ManifestNode(.text(value), at: (layers.output ?? layers.job)["matrix"]?.place ?? layers.job.place)
  }

  private func encodingSettings(_ template: OutputTemplate, log: inout DiagnosticLog) -> EncodingSettings? {
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
            node.place, "'max-bytes' is a number of bytes or a size such as 200kB or 1MiB, not '\(text)'")
        }
      }
      return result
    }
    let defaults = settings({ layers.defaults?[$0] }, log: &log)
    let own = settings({ matrixNode($0) }, log: &log)
      .overridden(by: settings({ layers.job[$0] }, log: &log))
      .overridden(by: settings({ layers.output?[$0] }, log: &log))
    if failed { return nil }
    var base = defaults.overridden(by: context.encoding)
    // An extension beats a default.
    if !context.encodingIsOwn, pathExtension(of: template) != nil {
      base.format = nil
      base.minSavings = nil
    }
    return base.overridden(by: own)
  }

  func encoding(
    _ template: OutputTemplate, at place: TextPlace, log: inout DiagnosticLog
  ) -> Encoding? {
    guard let settings = encodingSettings(template, log: &log) else { return nil }
    return encoding(settings, template, at: place, log: &log)
  }

  private func encoding(
    _ settings: EncodingSettings, _ template: OutputTemplate, at place: TextPlace, log: inout DiagnosticLog
  ) -> Encoding? {
    do {
      return try Encoding(resolving: settings, pathExtension: pathExtension(of: template))
    } catch {
      let parts = error.setting.split(separator: ".", maxSplits: 1).map(String.init)
      let node = parts.first.flatMap { layers.own($0) ?? matrixNode($0) ?? layers[$0] }
      let option = parts.count == 2 ? node?.entries?.first { $0.key == parts[1] } : nil
      let ownPlace = error.code == .unknownSetting ? option?.place : option?.value.place
      log.error(
        ownPlace ?? node?.place ?? layers.own("output")?.place ?? place,
        error.message + context.hints.encoding(error.code))
      return nil
    }
  }

  /// The extension that the path will have, also where it ends in a variable.
  func pathExtension(of template: OutputTemplate) -> String? {
    if let literal = template.literalPathExtension { return literal }
    guard let field = template.fields.last, template.text.hasSuffix(".{\(field.name)}") else { return nil }
    return variables[field.name]
  }
}
