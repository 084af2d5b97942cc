package import ImageCaches
package import ImageDownloads

/// The sources of a lock file. A run with them refuses sources with other bytes.
package struct FrozenSources: Sendable {
  private let path: String
  /// The texts of all sources in the lock file.
  private let names: Set<String>
  /// By source text. A source that failed or wasn't tried when the lock was written has none.
  private let digests: [String: ContentDigest]

  /// Creates them from a lock file that was read from `path`.
  package init(_ lock: LockFile, path: String) {
    self.path = path
    names = Set(lock.sources.keys)
    digests = lock.sources.compactMapValues { $0.sha256.flatMap { ContentDigest(hex: $0) } }
  }

  /// The locked digest of a source; nil if the lock file has none.
  package func digest(of source: ImageSource) -> ContentDigest? { digests[source.displayText] }

  /// The sources of a job that are missing from the lock file: those that it doesn't name, or the first one if it has a
  /// digest of none.
  package func missing(for job: Job) -> [String] {
    let unknown = job.sources.map(\.displayText).filter { !names.contains($0) }
    guard unknown.isEmpty else { return unknown }
    let known = job.sources + (job.placeholder.map { [$0] } ?? [])
    // The manifest's own digest refuses other bytes by itself.
    guard job.pinnedDigest == nil, !known.contains(where: { digest(of: $0) != nil }) else { return [] }
    return Array(job.sources.prefix(1).map(\.displayText))
  }

  /// The error of a source whose bytes aren't the locked ones; nil if they are.
  /// - Parameters:
  ///   - source: The source, which is compared with its own entry only.
  ///   - found: The digest of its bytes.
  ///   - isRequired: Whether a source without a digest in the lock file is refused too. Default: true.
  func refusal(
    of source: ImageSource, with found: ContentDigest, isRequired: Bool = true
  ) -> JobError? {
    let locked = digest(of: source)
    guard locked != found, isRequired || locked != nil else { return nil }
    var error = DownloadError(
      .digestMismatch,
      locked.map { "the SHA-256 is \(found), not the locked \($0)" }
        ?? "the source isn't in the lock file; its SHA-256 is \(found)",
      source: source.displayText)
    error.foundDigest = found
    var refusal = JobError(error)
    refusal.reason = .lockFile
    return refusal
  }

  /// The changes as a diff of the lock file.
  /// - Parameter mismatches: The sources' current digests, by source text.
  package func difference(from mismatches: [String: String]) -> String {
    var text = "--- \(path)\n+++ current sources\n"
    for (source, digest) in mismatches.sorted(by: { $0.key < $1.key }) {
      text += "@@ \(source) @@\n"
      if let locked = digests[source] { text += "-sha256 \(locked)\n" }
      text += "+sha256 \(digest)\n"
    }
    return text
  }
}
