import ImageBatch
import ImageCaches
import Manifests

/// Refuses outputs that would overwrite sources, before anything starts.
enum OverwriteRefusal {
  private static let mostLines = 20

  /// Refuses the run if there is any.
  /// - Throws: `ManifestCommandError` with each output at its place, `CommandError` for those without one.
  static func refuse(_ found: [OverwrittenSource]) throws {
    guard !found.isEmpty else { return }
    let diagnostics = found.compactMap(diagnostic)
    guard diagnostics.isEmpty else { throw ManifestCommandError(ManifestErrors(diagnostics)) }
    let lines = found.prefix(mostLines).map(message)
    let rest = found.count > lines.count ? "\n… and \(found.count - lines.count) more" : ""
    throw CommandError(.usage, lines.joined(separator: "\nimagemill: ") + rest)
  }

  /// The mistake at the output's place in its manifest; nil for an output without one.
  static func diagnostic(_ overwrite: OverwrittenSource) -> ManifestDiagnostic? {
    guard let place = overwrite.location else { return nil }
    return ManifestDiagnostic(
      file: place.file, line: place.line, column: place.column, message: message(overwrite))
  }

  private static func message(_ overwrite: OverwrittenSource) -> String {
    guard overwrite.isEdited else { return overwrite.error.withRemedy.message }
    return
      "the output '\(overwrite.path)', a source of another job, has changed since imagemill wrote it; remove it to "
      + "make it again, or allow its replacement with --in-place"
  }
}

extension JobSelection {
  /// Refuses the run if outputs would overwrite sources. The outputs of standard input aren't known yet: they fail as
  /// jobs.
  /// - Parameter allowsEdited: Whether an output that another job reads may have changed: a check reports that as a
  ///   difference.
  /// - Throws: `ManifestCommandError` with each such output.
  func refuseOverwrites(
    _ replacing: ReplacementPolicy, store: DiskStore, allowsEdited: Bool = false
  ) throws {
    guard !replacing.allowsSources else { return }
    let found: [OverwrittenSource]
    do throws(CacheError) {
      found = try overwrites(store: store)
    } catch {
      throw CommandError(.failed, error.messageWithRemedy)
    }
    try OverwriteRefusal.refuse(found.filter { !(allowsEdited && $0.isEdited) })
  }
}

extension OperandJobs {
  /// The most sources whose outputs are compared with sources before the run.
  private static let mostSources = 20_000

  /// Refuses the run if outputs would overwrite sources, as far as that is known before it.
  /// - Throws: `CommandError` with a line for each such output.
  func refuseOverwrites(
    _ replacing: ReplacementPolicy, outputDirectory: String = ".", store: DiskStore
  ) throws {
    guard !replacing.allowsSources else { return }
    var jobs: [Job] = []
    for case .success(var job) in prefix(Self.mostSources) {
      job.index = jobs.count + 1
      jobs.append(job)
    }
    let found: [OverwrittenSource]
    do throws(CacheError) {
      found = try OverwrittenSource.find(in: jobs, outputDirectory: outputDirectory, store: store)
    } catch {
      throw CommandError(.failed, error.messageWithRemedy)
    }
    try OverwriteRefusal.refuse(found)
  }
}
