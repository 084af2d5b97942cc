import ImageBatch
import ImageCaches
import Manifests

extension JobSelection {
  /// Refuses the run if outputs of its documents would overwrite sources. Outputs of streams aren't known yet: they
  /// fail as jobs.
  /// - Throws: `CommandError` with a line for each such output.
  func refuseOverwrites(_ replacing: ReplacementPolicy, store: DiskStore) throws {
    guard !replacing.allowsSources else { return }
    let found: [OverwrittenSource]
    do throws(CacheError) {
      found = try overwrites(store: store)
    } catch {
      throw CommandError(.failed, error.messageWithRemedy)
    }
    guard !found.isEmpty else { return }
    let lines = found.prefix(Self.mostLines).map { overwrite in
      let place = overwrite.location.map { "\($0.text): " } ?? ""
      return "\(place)error: \(overwrite.error.withRemedy.message)"
    }
    let rest = found.count > lines.count ? "\n… and \(found.count - lines.count) more" : ""
    throw CommandError(.usage, lines.joined(separator: "\n") + rest)
  }

  private static let mostLines = 20
}
