import ImageBatch
import ImageCaches

extension JobOptions.Input {
  /// Refuses the run where outputs of its documents would take the place of sources. Those of streams aren't known yet:
  /// they fail as jobs.
  func refuseOverwrites(_ replacing: ReplacementPolicy, store: DiskStore) throws {
    guard !replacing.allowsSources else { return }
    let found: [OverwrittenSource]
    do throws(CacheError) {
      found = try OverwrittenSource.find(in: jobs + fewRows, store: store)
    } catch {
      throw Complaint(.failed, error.messageWithRemedy)
    }
    guard !found.isEmpty else { return }
    let lines = found.prefix(Self.mostLines).map { overwrite in
      let place = overwrite.location.map { "\($0.file):\($0.line):\($0.column): " } ?? ""
      return "\(place)error: \(overwrite.error.withRemedy.message)"
    }
    let rest = found.count > lines.count ? "\n… and \(found.count - lines.count) more" : ""
    throw Complaint(.usage, lines.joined(separator: "\n") + rest)
  }

  private static let mostLines = 20

  /// The jobs of rows, where they are few enough to be looked at together; of more, each is looked at when its output
  /// is written.
  private var fewRows: [Job] {
    guard documentJobs <= 20_000 else { return [] }
    return rows.joined().compactMap { result in
      if case .success(let job) = result { job } else { nil }
    }
  }
}
