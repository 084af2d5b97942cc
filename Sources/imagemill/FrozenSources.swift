import ImageBatch
import ImageCaches

/// The sources of a lock file, to which `--frozen` holds a run.
struct FrozenSources {
  private let path: String
  private let sources: [String: LockFile.Source]

  /// Reads the lock file at `path`.
  init(reading path: String) throws {
    self.path = path
    do throws(LockFile.Failure) {
      sources = try LockFile(path: path).sources
    } catch {
      throw Complaint(error, of: path)
    }
  }

  /// Pins every job's source to what is locked. A source that isn't locked is refused.
  func pin(_ input: inout JobOptions.Input) throws {
    var unknown: [String] = []
    for index in input.jobs.indices where !pin(&input.jobs[index]) {
      unknown.append(input.jobs[index].sources.first?.displayText ?? "")
    }
    for case .success(var job) in input.rows.joined() where !pin(&job) {
      unknown.append(job.sources.first?.displayText ?? "")
    }
    input.prepare = { [prepare = input.prepare] job in
      _ = pin(&job)
      return prepare(&job)
    }
    guard unknown.isEmpty, input.streams.isEmpty else {
      let list = unknown.map { "  + \($0)" }.joined(separator: "\n")
      throw Complaint(
        .outOfDate,
        unknown.isEmpty
          ? "--frozen is for manifests that are read whole: YAML, JSON or TOML"
          : "these sources aren't in \(path); run without --frozen to lock them:\n\(list)")
    }
  }

  /// What differs, as a diff of the lock file.
  func difference(from mismatches: [String: String]) -> String {
    var text = "--- \(path)\n+++ what the sources are now\n"
    for (source, digest) in mismatches.sorted(by: { $0.key < $1.key }) {
      text += "@@ \(source) @@\n-sha256 \(sources[source]?.sha256 ?? "")\n+sha256 \(digest)\n"
    }
    return text
  }

  private func pin(_ job: inout Job) -> Bool {
    let locked = job.sources.compactMap { sources[$0.displayText] }
    guard !locked.isEmpty else { return false }
    // A source that failed when the lock was written has no digest.
    let digest = locked.lazy.compactMap { $0.sha256.flatMap { ContentDigest(hex: $0) } }.first
    job.pinnedDigest = job.pinnedDigest ?? digest
    return true
  }
}

extension Complaint {
  /// A lock file that can't be used.
  init(_ failure: LockFile.Failure, of path: String) {
    switch failure {
    case .unreadable:
      self.init(.usage, "can't read the lock file \(path); write it with 'imagemill run --lock \(path)'")
    case .version(let version):
      self.init(.usage, "the lock file \(path) is of version \(version); this imagemill reads up to 2")
    case .unwritable(let reason): self.init(.failed, "can't write the lock file \(path): \(reason)")
    }
  }
}
