import ImageDownloads
import Synchronization
import Vips

extension ImagePipeline {
  /// How a request's cache mode uses the images and bytes in memory.
  typealias MemoryUse = (reads: Bool, stores: Bool)

  /// The key of a call that is made now.
  func loadKey(_ request: ImageRequest, _ identifier: String) -> LoadKey {
    LoadKey(request: request, authentication: downloader.authentication, identifier: identifier)
  }

  func memoryUse(of request: ImageRequest) -> MemoryUse {
    switch request.cacheMode ?? configuration.downloads.cacheMode {
    case .standard, .offline: (true, true)
    case .refresh: (false, true)
    case .none: (false, false)
    }
  }

  private func inMemory(_ key: LoadKey) -> VipsImage? {
    guard memoryUse(of: key.request).reads else { return nil }
    return images?.image(for: key.memoryIdentity, withIdentifier: key.memoryIdentifier)
  }

  /// The image of a load, if it is in memory; it counts as a hit.
  func takeFromMemory(_ key: LoadKey) -> VipsImage? {
    guard let image = inMemory(key) else { return nil }
    state.withLock { $0.totals.memoryHits += 1 }
    feed.send(.foundInMemory(key.request, identifier: key.identifier))
    return image
  }
}
