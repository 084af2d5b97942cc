package import ImageBatch
package import ImageCaches
package import ImageDownloads
import SystemIO

/// The jobs of one or several manifests that a command works on, with the settings that belong to them.
///
/// Indices count through all manifests: the documents' jobs and rows in the order of the manifests, then the records of
/// streams.
package struct JobSelection: Sendable {
  /// An open manifest.
  package struct OpenManifest: Sendable {
    let path: String
    let input: ManifestInput
    let directory: String

    /// - Parameters:
    ///   - path: The path, as it was given.
    ///   - directory: The directory that the manifest's relative paths start from.
    package init(path: String, _ input: ManifestInput, directory: String) {
      self.path = path
      self.input = input
      self.directory = directory
    }
  }

  /// The selected jobs of the documents, without those of rows.
  package internal(set) var jobs: [Job] = []
  /// The other jobs of the documents. No output may replace their sources either.
  var unselected: [Job] = []
  /// The jobs of the documents' tables, one for each row.
  package internal(set) var rows: [RowJobs] = []
  /// The jobs of rows, unless there are very many, whose sources follow the outputs to the command line's directory.
  private(set) var rowJobs: [Job] = []
  /// Tables whose rows are among the jobs, because some wait for others.
  private var expandedRows: [RowJobs] = []
  /// Lists, CSV, TSV and NDJSON, read while the batch runs.
  package var streams: [LineJobs] = []
  /// The first jobs of lists that were read before the run, selected or not.
  var listed: [Job] = []
  /// The first selected jobs of these lists.
  var listedAndSelected: [Job] = []
  /// The documents' jobs without those of rows, and those of rows, before a part was selected and before sources followed
  /// outputs; empty without lists.
  private(set) var whole: [Job] = []
  private(set) var wholeRows: [Job] = []
  /// The sources that follow outputs to the command line's directory.
  var moved = MovedOutputs()
  private(set) var failed: FailedJobs?
  private(set) var shard: Shard?
  private(set) var outputDirectory: String?
  /// The number of records that were read before the run.
  var recordsRead = 0
  /// Whether all records of all lists were read before the run.
  var hasReadLists = false
  /// The targets that a list may make.
  package internal(set) var awaited: AwaitedTargets?
  /// The manifests that are streams.
  package private(set) var listPaths: [String] = []
  /// The downloader's settings for single origins, by origin.
  package private(set) var origins: [String: OriginSettings] = [:]
  /// The manifests' `settings`.
  package private(set) var settings: [ManifestSetting] = []
  /// Each manifest with its output directory and template; `--prune` compares within one scope.
  package private(set) var scopes: [OutputScope] = []
  /// The number of jobs in the documents, selected or not.
  var documentJobs = 0
  /// The number of failed outputs of a report that no job makes any more; nil if no report selects the jobs, or they aren't
  /// known before they are read.
  package private(set) var unmatchedFailures: Int?
  /// Whether the report that selects the jobs has failures; nil if none selects them.
  package private(set) var hasFailures: Bool?
  /// The local files among the named sources.
  private var namedFiles: Set<String> = []
  /// Whether all jobs are selected.
  var isWhole: Bool
  /// Completes a row's or a record's job; false if the job isn't selected.
  var prepare: @Sendable (inout Job) -> Bool

  /// Selects the jobs of manifests.
  /// - Parameters:
  ///   - failed: Selects only jobs that failed in a report.
  ///   - shard: Selects only a part of the jobs.
  ///   - outputDirectory: The directory of outputs; nil for each manifest's own.
  ///   - yieldsToManifests: Whether the directory that a manifest names comes first. Default: false.
  ///   - template: The template of jobs without their own, which tells scopes apart.
  ///   - named: The command line's named sources. Default: none.
  /// - Throws: `ManifestErrors` if outputs of different manifests have the same path and different content.
  package init(
    of manifests: [OpenManifest], failed: FailedJobs? = nil, shard: Shard? = nil,
    outputDirectory: String? = nil, yieldsToManifests: Bool = false,
    template: String = "", named: [ImageSource] = []
  ) throws(ManifestErrors) {
    namedFiles = Set(named.compactMap(\.localPath))
    isWhole = failed == nil && shard == nil
    hasFailures = failed.map { !$0.isEmpty }
    prepare = { job in
      if job.outputDirectory == nil { job.outputDirectory = outputDirectory }
      return failed?.contains(job) != false && shard?.contains(job) != false
    }
    self.failed = failed
    self.shard = shard
    self.outputDirectory = outputDirectory
    var conflicts = RecordConflicts()
    var sums = DiagnosticSums()
    var documents: [(manifest: Manifest, rows: [Job], own: String, place: String)] = []
    for manifest in manifests {
      switch manifest.input {
      case .lines(let jobs):
        addScope(of: manifest, in: outputDirectory ?? ".", template)
        streams.append(jobs)
        listPaths.append(manifest.path)
      case .document(let document):
        let own = document.outputDirectory ?? manifest.directory
        let given = yieldsToManifests && document.outputDirectory != nil ? nil : outputDirectory
        addScope(of: manifest, in: given ?? own, template)
        // The reader of a manifest has already found conflicts within it.
        if manifests.count > 1 { conflicts.claim(document, in: given ?? own) { sums.note($0) } }
        documents.append((document, document.readRows(), own, given ?? own))
      }
    }
    // What lists read isn't known yet.
    let names = streams.isEmpty ? documents.flatMap { $0.manifest.jobs + $0.rows }.namesOfFiles : nil
    for document in documents {
      moved.add(document.manifest.jobs + document.rows, from: document.own, to: document.place, names: names)
    }
    for document in documents {
      if !streams.isEmpty {
        // With the places of the manifest: lists may move more sources.
        whole += document.manifest.jobs.placed(in: document.place, after: documentJobs)
        wholeRows += document.rows.placed(in: document.place, after: documentJobs)
      }
      for job in document.rows {
        var job = moved.followed(by: job)
        job.index += documentJobs
        job.outputDirectory = document.place
        rowJobs.append(job)
      }
      var manifest = document.manifest
      manifest.jobs = manifest.jobs.map(moved.followed)
      add(manifest, in: document.place)
    }
    expandRows()
    if let failed, rows.isEmpty, streams.isEmpty { unmatchedFailures = failed.unmatched(by: jobs) }
    selectParts()
    if !sums.isEmpty { throw ManifestErrors(sums.diagnostics) }
  }

  private mutating func addScope(of manifest: OpenManifest, in directory: String, _ template: String) {
    scopes.append(OutputScope(manifest: manifest.path, directory: directory, template: template))
  }

  /// Leaves the jobs of the shard and those that failed, with what they need.
  mutating func selectParts() {
    guard failed != nil || shard != nil else { return }
    let wanted = Set(jobs.map(\.index))
    let all = (jobs + unselected).sorted { $0.index < $1.index }
    // A job belongs to the part of the jobs that it needs, whichever of them failed.
    var part = shard?.selecting(all) ?? all
    // A job that failed may need outputs that are out of date by now.
    if failed != nil { part = JobDependencies(part).selecting { wanted.contains($0.index) } }
    (jobs, unselected) = (all, [])
    select(part)
  }

  /// Adds a job to those that are selected, or to the others. Parts are made of all documents' jobs together.
  mutating func sort(_ job: Job) {
    if failed?.contains(job) != false { jobs.append(job) } else { unselected.append(job) }
  }

  private mutating func add(_ document: Manifest, in place: String) {
    for var job in document.jobs {
      job.index += documentJobs
      job.outputDirectory = place
      sort(job)
    }
    for var rows in document.rows {
      rows.firstIndex += documentJobs
      rows.outputDirectory = place
      self.rows.append(rows)
    }
    documentJobs += document.jobs.count + document.rows.reduce(0) { $0 + $1.count }
    namedFiles.formUnion(document.namedSources.values.compactMap(\.localPath))
    for origin in document.origins { origins[origin.origin] = origin.settings }
    settings += document.settings
  }

  /// Takes the rows among the jobs if one of them makes a source of another job, or needs its output: rows are read while the
  /// batch runs, and wait for nothing. Very many rows aren't held in memory.
  private mutating func expandRows() {
    guard !rows.isEmpty, documentJobs <= Self.mostJobs else { return }
    let indices = Set(rowJobs.map(\.index))
    guard JobDependencies(jobs + unselected + rowJobs).connects({ indices.contains($0.index) }) else {
      return
    }
    takeRows()
  }

  /// Takes the rows among the jobs.
  private mutating func takeRows() {
    rowJobs.forEach { sort($0) }
    jobs.sort { $0.index < $1.index }
    noteRowsTaken()
  }

  /// Notes that the jobs of rows are among the others.
  mutating func noteRowsTaken() { (expandedRows, rows, rowJobs) = (expandedRows + rows, [], []) }

  // MARK: Facts

  /// The number of selected jobs; nil if it isn't known before they are read.
  package var count: Int? {
    guard streams.isEmpty else { return nil }
    if rows.isEmpty { return jobs.count }
    return isWhole ? documentJobs : nil
  }

  /// Whether markup shows placeholders.
  package var showsPlaceholders: Bool {
    jobs.contains { $0.outputs.contains { $0.markup?.showsPlaceholder == true } }
      || rows.contains(where: \.showsPlaceholders)
  }

  /// The files that rows come from, each once.
  package var tables: [String] {
    (rows + expandedRows).compactMap(\.tablePath).reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
  }

  /// The batch's input.
  package var items: JobItems {
    JobItems(
      groups: JobGroup.grouping(jobs), rows: rows, streams: streams, firstIndex: documentJobs + 1,
      prepare: prepare)
  }

  /// The outputs that can't be written. Those of standard input and of long lists aren't known yet, and there may be too
  /// many rows to hold in memory: such outputs are checked when they are written.
  /// - Parameter allowsOutside: Whether outputs may be outside their directory.
  /// - Throws: `CacheError` if the store's records can't be read.
  package func placeMistakes(
    store: DiskStore, allowsOutside: Bool = true, made: () -> Set<String> = { [] }
  ) throws(CacheError) -> PlaceMistakes {
    try PlaceMistakes(
      in: jobs + fewRows + listedAndSelected, besides: unselected + listed,
      files: protectedFiles, matched: (rows + expandedRows).flatMap(\.leftOut), allowsOutside: allowsOutside,
      store: store,
      made: made)
  }

  /// The files that no output may replace, besides the jobs' sources: manifests, tables and named sources.
  private var protectedFiles: [String] {
    scopes.map { $0.manifest == "-" ? "/dev/stdin" : $0.manifest } + tables + namedFiles.sorted()
  }

  /// Those of them that no job makes. The outputs of streams and of many rows aren't known before they are written.
  package var protectedWhileRunning: [String] {
    let working = Paths.workingDirectory
    let made = Set(
      (jobs + unselected).flatMap { job in job.outputs.compactMap { job.location(of: $0, from: working) } })
    return protectedFiles.filter { path in
      !made.contains(Paths.absolute(path, from: working))
    }
  }

  /// The files of the documents: their tables, local sources, and the outputs whose paths are known before the run.
  package var claimedFiles: ClaimedFiles {
    var files = ClaimedFiles()
    for path in listPaths { files.add(path, as: "the list \(path)") }
    for path in tables { files.add(path, as: "the table \(path)") }
    files.add(jobs + fewRows)
    return files
  }

  /// The most jobs with rows whose outputs are looked at before the run.
  package static let mostJobs = 20_000

  /// Whether there are outputs whose paths aren't known before they are written.
  package var hasUnknownOutputs: Bool { !streams.isEmpty || !rows.isEmpty && documentJobs > Self.mostJobs }

  private var fewRows: [Job] { documentJobs <= Self.mostJobs ? rowJobs : [] }

  // MARK: Changes

  /// Leaves only some of the jobs, which may have fewer outputs than before.
  mutating func select(_ selected: [Job]) {
    let indices = Set(selected.map(\.index))
    unselected += jobs.filter { !indices.contains($0.index) }
    jobs = selected
  }

  /// Puts jobs behind those that they wait for (``JobDependencies``).
  /// - Throws: `ManifestErrors` if jobs wait for each other.
  package mutating func order() throws(ManifestErrors) {
    do throws(JobDependencies.Circles) {
      jobs = try JobDependencies(jobs).ordered()
    } catch {
      throw ManifestErrors(error.circles.map(\.diagnostic))
    }
  }

  /// Passes every job to the recorder of a lock file.
  package mutating func record(with recorder: LockRecorder) {
    jobs.forEach(recorder.note)
    prepare = { [prepare] job in
      guard prepare(&job) else { return false }
      recorder.note(job)
      return true
    }
  }

  /// The sources that are missing from a lock file, each once, with the place of the first job that reads it.
  package func missing(from frozen: FrozenSources) -> [(source: String, place: ManifestLocation?)] {
    var seen: Set<String> = []
    func new(_ job: Job) -> [(source: String, place: ManifestLocation?)] {
      frozen.missing(for: job).filter { seen.insert($0).inserted }.map { ($0, job.location) }
    }
    var missing = jobs.flatMap(new)
    for case .success(var job) in rows.joined() where prepare(&job) { missing += new(job) }
    return missing
  }
}

extension Manifest {
  /// The jobs of all rows; none if the manifest has more jobs than this.
  package func readRows(atMost limit: Int = JobSelection.mostJobs) -> [Job] {
    guard jobs.count + rows.reduce(0, { $0 + $1.count }) <= limit else { return [] }
    return rows.joined().compactMap { result in
      if case .success(let job) = result { job } else { nil }
    }
  }
}
