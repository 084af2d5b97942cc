import ImageBatch
import ImageCaches
import Manifests
import SystemIO

/// Checks a draft as 'validate' checks a manifest, and that no output of an earlier run is needed.
struct DraftCheck {
  /// The path of the manifest that isn't written yet; `-` is standard output.
  let manifest: String

  /// The settings that drafts are read with.
  var options: ManifestOptions {
    var options = ManifestOptions()
    options.hints = Remedies.hints
    options.settings = Setting.known
    options.directory = manifest == "-" ? "" : DirectoryEntry(manifest).directory
    options.checksPlaces = true
    return options
  }

  /// Checks a draft.
  /// - Throws: `ManifestCommandError` with mistakes in the files that the draft names, `CommandError` with those in
  ///   the draft itself.
  func callAsFunction(_ draft: String) throws {
    do {
      let read: Manifest
      do throws(ManifestErrors) {
        read = try ManifestReader(options).read(Array(draft.utf8), name: manifest, form: .yaml)
      } catch {
        throw ManifestCommandError(error)
      }
      try checkPlaces(of: read)
    } catch let error as ManifestCommandError {
      throw complaint(error)
    }
  }

  private func checkPlaces(of read: Manifest) throws {
    let directory = ManifestArguments.directory(of: manifest)
    let jobs = read.readRows().placed(in: directory)
    let circles = JobDependencies.circles(in: jobs)
    guard circles.isEmpty else { throw ManifestCommandError(ManifestErrors(circles)) }
    let found: PlaceMistakes
    do throws(CacheError) {
      found = try PlaceMistakes(
        in: jobs, files: read.rows.compactMap(\.tablePath), matched: read.rows.flatMap(\.leftOut),
        outputDirectory: directory, allowsOutside: false, store: nil)
    } catch {
      throw CommandError(.failed, error.messageWithRemedy)
    }
    try PlaceRefusal.refuse(found)
  }

  /// The error without places in the draft, which isn't written.
  private func complaint(_ error: ManifestCommandError) -> any Error {
    let others = error.errors.diagnostics.filter { $0.file != manifest }
    guard others.isEmpty else { return ManifestCommandError(ManifestErrors(others)) }
    return CommandError(
      .usage, error.errors.diagnostics.map { "--from: \($0.message)" }.joined(separator: "\n"))
  }
}
