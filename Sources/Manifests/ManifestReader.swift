import ImageBatch
import ImageDownloads
import ImageFilters
import SystemIO

/// Reads a document manifest (YAML, JSON or TOML) strictly, and reports all errors at once.
///
///     var options = ManifestOptions()
///     options.directory = "site"
///     let manifest = try ManifestReader(options).read(bytes, name: "site/imagemill.yaml", form: .yaml)
///     for job in manifest.jobs { … }
package struct ManifestReader: Sendable {
  /// The form of a document.
  package enum Form: String, Sendable, CaseIterable {
    case yaml, json, toml
  }

  private let options: ManifestOptions

  /// Makes a reader with the command line's settings.
  package init(_ options: ManifestOptions = ManifestOptions()) {
    self.options = options
  }

  /// Reads a manifest.
  /// - Parameters:
  ///   - bytes: The document's bytes, as UTF-8.
  ///   - name: The path as given, for diagnostics and locations.
  /// - Throws: `ManifestErrors` with every mistake.
  package func read(_ bytes: [UInt8], name: String, form: Form) throws(ManifestErrors) -> Manifest {
    if bytes.prefix(4096).contains(0), !ManifestText.isUTF16(bytes) {
      throw ManifestErrors([
        .init(
          file: name, line: 1, column: 1, message: ManifestInput.binaryMessage + options.hints.image)
      ])
    }
    let text = try ManifestText(name: name, bytes: bytes)
    var log = DiagnosticLog(text)
    let root = root(text, form, log: &log)
    guard let root else {
      try log.throwIfAny()
      throw ManifestErrors([.init(file: name, line: 1, column: 1, message: "this can't be read")])
    }
    let manifest = manifest(root, form, log: &log)
    try log.throwIfAny()
    return manifest
  }

  private func root(_ text: ManifestText, _ form: Form, log: inout DiagnosticLog) -> ManifestNode? {
    switch form {
    case .yaml: return YAMLNodes.read(text, log: &log)
    case .json:
      do {
        return try JSONNodes.read(text.text)
      } catch {
        log.error(error.place, error.message)
        return nil
      }
    case .toml:
      let (root, mistakes) = TOMLNodes.readAll(text.text)
      for mistake in mistakes { log.error(mistake.place, mistake.message) }
      return root
    }
  }

  private func manifest(_ root: ManifestNode, _ form: Form, log: inout DiagnosticLog) -> Manifest {
    guard root.entries != nil else {
      let wanted =
        form == .json
        ? "an object such as '{\"imagemill\": 1, \"jobs\": […]}'"
        : "a mapping that begins with 'imagemill: 1'"
      let hint = root.list == nil ? "" : ": put this list under 'jobs'"
      log.error(root.place, "a manifest must be \(wanted)\(hint)")
      return Manifest(jobs: [], outputDirectory: nil, origins: [], namedSources: [:])
    }
    // The lines of origins may contain credentials, so diagnostics don't show them.
    let root = root.hidingSecrets(under: "origins")
    checkVersion(root, log: &log)
    KeyTable.manifest.check(root, log: &log)
    EnvironmentUse.check(root, log: &log)

    var context = JobContext(options)
    if let base = base(root, log: &log) {
      context.resolver.base = base
      context.root = SourceRoot(directory: options.directory, base: base.text)
    }
    context.named = NamedChains.read(root["filters"], log: &log)
    context.sources = namedSources(root, context, log: &log)
    context.defaults = root["defaults"]
    let outputDirectory = outputDirectory(root, context, log: &log)
    let given = options.yieldsToManifests && outputDirectory != nil ? nil : options.outputDirectory
    let (jobs, drafts, rows) = jobs(
      root, context, name: log.text.name,
      outputs: (given ?? outputDirectory ?? options.directory, outputDirectory ?? options.directory),
      log: &log)
    DefaultsCheck(context: context).run(root["defaults"], log: &log)
    let directory = given ?? outputDirectory ?? options.directory
    let all = drafts.isEmpty ? jobs : (jobs + drafts).sorted { $0.isBefore($1) }
    OutputConflicts.check(all, drafts: Set(drafts.compactMap(\.location)), in: directory, log: &log)
    if options.checksPlaces || !log.isEmpty && options.protectsSources {
      let files = (log.text.name == "-" ? [] : [log.text.name]) + rows.compactMap(\.tablePath)
      OutputConflicts.checkSources(
        of: all, besides: files, in: directory, hint: options.hints.overwrite, log: &log)
      OutputConflicts.checkPlaces(of: all, in: directory, options, log: &log)
    }
    // Of a manifest without mistakes they are found together with those of others.
    if !log.isEmpty {
      for circle in JobDependencies.circles(in: all.placed(in: directory)) { log.add(circle) }
    }
    return Manifest(
      jobs: jobs, rows: rows, outputDirectory: outputDirectory,
      origins: OriginReader(
        environment: options.environment, unset: options.unsetVariables, hint: options.hints.variable
      ).origins(root["origins"], log: &log),
      namedSources: context.sources,
      settings: SettingsReader(known: options.settings, isManifest: true).settings(
        root["settings"], log: &log))
  }

  private func checkVersion(_ root: ManifestNode, log: inout DiagnosticLog) {
    guard let version = root["imagemill"], let text = version.scalar, text != "1" else { return }
    log.error(
      version.place,
      "unsupported manifest version '\(text)': write 'imagemill: 1', or update imagemill")
  }

  private func base(_ root: ManifestNode, log: inout DiagnosticLog) -> URLReference? {
    guard let node = root["base"], let text = node.text else { return nil }
    guard let base = URLReference(parsing: text), ["http", "https"].contains(base.scheme),
      base.host?.isEmpty == false
    else {
      log.error(
        node.place, "'base' must be an http or https URL, such as 'https://cdn.example.com/'")
      return nil
    }
    return base
  }

  private func outputDirectory(
    _ root: ManifestNode, _ context: JobContext, log: inout DiagnosticLog
  ) -> String? {
    guard let node = root["output-dir"], let text = node.text else { return nil }
    do {
      return try context.resolver.directory.inside(text)
    } catch {
      log.error(node.place, error.message)
      return nil
    }
  }

  private func namedSources(
    _ root: ManifestNode, _ context: JobContext, log: inout DiagnosticLog
  ) -> [String: ImageSource] {
    var result: [String: ImageSource] = [:]
    for entry in root["sources"]?.entries ?? [] {
      guard let text = entry.value.text else { continue }
      do {
        result[entry.key] = try context.resolver.resolve(text)
      } catch {
        log.error(entry.value.place, error.message)
      }
    }
    return result
  }

  /// The jobs, those with mistakes as far as they can be read, and those of rows, whose tables are read once to check them.
  /// - Parameter directories: The directory of outputs, and the one according to the manifest.
  private func jobs(
    _ root: ManifestNode, _ context: JobContext, name: String, outputs directories: (String, own: String),
    log: inout DiagnosticLog
  ) -> (jobs: [Job], drafts: [Job], rows: [RowJobs]) {
    let reader = JobReader(context: context, file: name)
    var jobs: [Job] = []
    var count = 0
    for node in root["jobs"]?.list ?? [] {
      // A job that is too large by itself is reported by its reader.
      count += min(JobReader.outputCount(of: node), ExpansionBudget.outputsOfJob)
      guard count > ExpansionBudget.outputs else { continue }
      log.error(node.place, ExpansionBudget.tooManyOutputs)
      return ([], [], [])
    }
    if let jobs = reader.jobsAtOnce(root["jobs"]?.list ?? [], log: &log) { return (jobs, [], []) }
    var drafts: [Job] = []
    var check = RowCheck(
      jobs: [], rows: [], outputDirectory: directories.0, ownDirectory: directories.own)
    // The number of jobs before each member with rows.
    var before: [Int] = []
    for node in root["jobs"]?.list ?? [] where node.entries != nil {
      if node["from"] == nil {
        if let entry = node.entries?.first(where: { $0.key == "where" }) {
          log.error(entry.place, "'where' needs 'from': there are no rows to select")
        }
        let index = jobs.count + drafts.count + 1
        if let job = reader.job(node, index: index, log: &log) {
          jobs.append(job)
        } else {
          drafts.append(reader.draft(node, index: index, log.text))
        }
      } else if let from = node["from"] {
        let reader = RowTemplateReader(context: context, manifest: name, node: node)
        guard let table = reader.table(log: &log) else { continue }
        if let rows = reader.rows(of: table, log: &log) {
          check.rows.append(rows)
          before.append(jobs.count)
        } else {
          check.unread.append((table, from.place))
        }
      }
    }
    guard !check.rows.isEmpty || !check.unread.isEmpty else { return (jobs, drafts, []) }
    check.jobs = jobs
    check.drafts = drafts
    check.run(log: &log)
    let numbered = Self.numbered(jobs, check.rows, before: before)
    return (numbered.jobs, drafts, numbered.rows)
  }

  /// The jobs and rows with indices in the order of the manifest.
  private static func numbered(
    _ jobs: [Job], _ rows: [RowJobs], before: [Int]
  ) -> (jobs: [Job], rows: [RowJobs]) {
    var (jobs, rows) = (jobs, rows)
    var next = 0
    var shift = 0
    for (position, count) in before.enumerated() {
      for index in next..<count { jobs[index].index += shift }
      rows[position].firstIndex = count + shift + 1
      shift += rows[position].count
      next = count
    }
    for index in next..<jobs.count { jobs[index].index += shift }
    return (jobs, rows)
  }
}

extension Job {
  /// Whether it comes before another job of its manifest.
  fileprivate func isBefore(_ other: Job) -> Bool {
    guard let location, let next = other.location else { return index < other.index }
    return (location.line, location.column) < (next.line, next.column)
  }
}
