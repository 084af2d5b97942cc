import ImageCaches
import ObjectStorage
import Synchronization
import SystemIO

/// The output that owns each path of a batch. Two outputs with the same path and different content would
/// overwrite each other, so the second one is an error.
///
/// Paths and keys are stored as the first 64 bits of digests, 16 bytes per output, because a stream may have millions of outputs.
final class OutputPathRegistry: Sendable {
  private let claims = Mutex(HashTable<UInt64>())
  private let places = Mutex(RealPlaces())
  private let sources: SourceFiles
  private let replacing: ReplacementPolicy

  init(sources: SourceFiles, replacing: ReplacementPolicy) {
    self.sources = sources
    self.replacing = replacing
  }

  /// - Throws: `JobError` if a source of this run is at the path and the policy protects it.
  func checkSource(at location: String, path: String) throws(JobError) {
    guard !replacing.allowsSources, sources.contains(location) else { return }
    throw .overwritesSource(path)
  }

  /// Claims `location` for the output with `key`.
  /// - Returns: Whether no other key has claimed it.
  func claim(_ location: String, for key: ContentDigest) -> Bool {
    let place = ObjectAddress.isAddress(location) ? location : places.withLock { $0.place(of: location) }
    let path = ContentDigest(hashing: place.utf8).prefix
    let holder = claims.withLock { $0.insert(key.prefix, for: path) }
    return holder == nil || holder == key.prefix
  }
}
