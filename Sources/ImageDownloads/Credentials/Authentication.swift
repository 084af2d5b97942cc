import Synchronization

extension ImageDownloader {
  /// The credential of ``addAuthentication(usingCredential:)``, as callers keep it with what they downloaded.
  package struct Authentication: Hashable, Sendable {
    /// Counts the changes of all downloaders, because several may use one memory cache: 0 is the configuration's
    /// credential. Keys in memory have this number in them, so that the caches of a program see no secret.
    package private(set) var generation = 0
    private(set) var credential: OriginSettings.Credential?
    private static let generations = Atomic(0)

    /// The configuration's credential.
    package init() {}

    /// Counts only a change, so that a program may repeat its call without losing its images in memory.
    mutating func change(to credential: OriginSettings.Credential) {
      guard credential != self.credential else { return }
      self.credential = credential
      generation = Self.generations.add(1, ordering: .relaxed).newValue
    }
  }

  /// What later requests are sent with.
  package var authentication: Authentication { currentAuthentication.withLock(\.self) }

  /// Downloads a source like ``download(_:priority:pinnedDigest:)``, with the credential that was current earlier.
  package func download(
    _ request: ImageRequest, authentication: Authentication, priority: Int
  ) async throws(DownloadError) -> StoredSource {
    try await download(
      key(request, authentication: authentication), RequestReceipt(request), priority: priority)
  }

  /// Downloads a source like ``download(_:priority:pinnedDigest:owner:progress:completion:)``, with the credential that was
  /// current earlier.
  package func download(
    _ request: ImageRequest, authentication: Authentication, priority: Int,
    progress: (@Sendable (_ received: Int, _ expected: Int?) -> Void)?,
    completion: @escaping @Sendable (Result<StoredSource, DownloadError>) -> Void
  ) -> RequestReceipt {
    let receipt = RequestReceipt(request)
    download(
      key(request, authentication: authentication), receipt, priority: priority, progress: progress,
      completion: completion)
    return receipt
  }
}
