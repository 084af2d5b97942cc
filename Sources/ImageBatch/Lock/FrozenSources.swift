import ImageCaches

/// The sources of a lock file. A run with them rejects sources whose bytes have changed.
package struct FrozenSources: Sendable {
  private let path: String
  private let sources: [String: LockFile.Source]

  /// Creates them from a lock file that was read from `path`.
  package init(_ lock: LockFile, path: String) {
    self.path = path
    sources = lock.sources
  }

  /// Pins a job's source to the locked digest.
  /// - Returns: Whether any of the job's sources is in the lock file.
  package func pin(_ job: inout Job) -> Bool {
    let locked = job.sources.compactMap { sources[$0.displayText] }
    guard !locked.isEmpty else { return false }
    // A source that failed when the lock was written has no digest.
    let digest = locked.lazy.compactMap { $0.sha256.flatMap { ContentDigest(hex: $0) } }.first
    job.pinnedDigest = job.pinnedDigest ?? digest
    return true
  }

  /// The changes as a diff of the lock file.
  /// - Parameter mismatches: The sources' current digests, by source text.
  package func difference(from mismatches: [String: String]) -> String {
    var text = "--- \(path)\n+++ current sources\n"
    for (source, digest) in mismatches.sorted(by: { $0.key < $1.key }) {
      text += "@@ \(source) @@\n-sha256 \(sources[source]?.sha256 ?? "")\n+sha256 \(digest)\n"
    }
    return text
  }
}
