import ImageBatch
import ImageCaches
import Manifests

/// Refuses outputs that can't be written, before anything starts.
enum PlaceRefusal {
  private static let mostLines = 20

  /// Refuses the run if there is any.
  /// - Throws: `ManifestCommandError` with each output at its place, `CommandError` for those without one.
  static func refuse(_ found: PlaceMistakes) throws {
    let mistakes =
      found.overwritten.map { (text: message($0), place: $0.location) }
      + found.occupied.map { (text: message($0), place: $0.location) }
    guard !mistakes.isEmpty else { return }
    let diagnostics = mistakes.compactMap { diagnostic($0.text, $0.place) }
    guard diagnostics.isEmpty else { throw ManifestCommandError(ManifestErrors(diagnostics)) }
    let lines = mistakes.prefix(mostLines).map(\.text)
    let rest = mistakes.count > lines.count ? "\n… and \(mistakes.count - lines.count) more" : ""
    throw CommandError(.usage, lines.joined(separator: "\nimagemill: ") + rest)
  }

  /// The mistake at the output's place in its manifest; nil for an output without one.
  static func diagnostic(_ overwrite: OverwrittenSource) -> ManifestDiagnostic? {
    diagnostic(message(overwrite), overwrite.location)
  }

  /// The mistake at the output's place in its manifest; nil for an output without one.
  static func diagnostic(_ occupied: OccupiedPlace) -> ManifestDiagnostic? {
    diagnostic(message(occupied), occupied.location)
  }

  private static func diagnostic(_ message: String, _ place: ManifestLocation?) -> ManifestDiagnostic? {
    place.map { place in
      var diagnostic = ManifestDiagnostic(
        file: place.file, line: place.line, column: place.column, message: message)
      diagnostic.isFoundLate = true
      return diagnostic
    }
  }

  private static func message(_ occupied: OccupiedPlace) -> String {
    guard case .link = occupied.obstacle else { return occupied.message }
    return occupied.message + "; move it inside, or use --allow-outside"
  }

  private static func message(_ overwrite: OverwrittenSource) -> String {
    if overwrite.isMatched {
      return
        "the output '\(overwrite.path)' exists and matches like its source, and no run is known to have made it; remove it, "
        + "write the outputs elsewhere, or allow its replacement with --in-place"
    }
    guard overwrite.isEdited else { return overwrite.error.withRemedy.message }
    return
      "the output '\(overwrite.path)', a source of another job, has changed since imagemill wrote it; remove it to "
      + "make it again, or allow its replacement with --in-place"
  }
}

extension JobSelection {
  /// Refuses the run if outputs would overwrite sources, or directories are in their places. The outputs of standard input
  /// aren't known yet: they fail as jobs.
  /// - Parameters:
  ///   - allowsOutside: Whether outputs may be outside their directory.
  ///   - isCheck: Whether an output that another job reads may have changed, or be the file of somebody else: a check reports
  ///     that as a difference.
  ///   - lock: The path of a lock file, whose outputs may be replaced too: on a machine that has made none of them, they came
  ///     with it.
  /// - Throws: `ManifestCommandError` with each such output.
  func refusePlaces(
    _ replacing: ReplacementPolicy, allowsOutside: Bool, store: DiskStore, isCheck: Bool = false,
    lock: String? = nil
  ) throws {
    var found: PlaceMistakes
    do throws(CacheError) {
      found = try placeMistakes(store: store, allowsOutside: allowsOutside) { Self.outputs(ofLock: lock) }
    } catch {
      throw CommandError(.failed, error.messageWithRemedy)
    }
    found.overwritten.removeAll { replacing.allowsSources || isCheck && ($0.isEdited || $0.isForeign) }
    try PlaceRefusal.refuse(found)
  }

  /// The digests of the outputs in a lock file. One that isn't there, or that can't be read and will be replaced, has none.
  private static func outputs(ofLock path: String?) -> Set<String> {
    guard let path, path != "-" else { return [] }
    do throws(LockFile.Failure) {
      return Set(try LockFile(path: path).outputs.values.map(\.sha256))
    } catch {
      return []
    }
  }
}

extension OperandJobs {
  /// The most sources whose outputs are compared with sources before the run.
  private static let mostSources = 20_000

  /// Says which of the named sources are none, because they are outputs of others.
  func noteLeftOut() {
    let names = namedAndLeftOut
    guard let first = names.first else { return }
    let rest = names.count > 1 ? " and \(names.count - 1) more" : ""
    StandardError.say(
      "imagemill: note: \(first)\(rest): not converted, because \(names.count > 1 ? "they are outputs" : "it is the output") "
        + "of other sources")
  }

  /// Refuses the run if outputs would overwrite sources, or directories are in their places, as far as that is known before
  /// it.
  /// - Parameter files: Other files that the run reads.
  /// - Throws: `CommandError` with a line for each such output.
  func refusePlaces(
    _ replacing: ReplacementPolicy, besides files: [String] = [], outputDirectory: String = ".",
    allowsOutside: Bool = true, store: DiskStore
  ) throws {
    var jobs: [Job] = []
    for case .success(var job) in prefix(Self.mostSources) {
      job.index = jobs.count + 1
      jobs.append(job)
    }
    var found: PlaceMistakes
    do throws(CacheError) {
      found = try PlaceMistakes(
        in: jobs, files: files, matched: leftOut, outputDirectory: outputDirectory,
        allowsOutside: allowsOutside,
        store: store)
    } catch {
      throw CommandError(.failed, error.messageWithRemedy)
    }
    if replacing.allowsSources { found.overwritten = [] }
    try PlaceRefusal.refuse(found)
  }
}
