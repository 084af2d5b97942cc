import ImageCaches
import Synchronization

/// Which path of a batch belongs to which output: two outputs with one path and different content would overwrite
/// each other, so the second is an error.
///
/// Sixteen bytes an output, since a stream may have a million of them: hashes stand for paths and keys.
final class OutputClaims: Sendable {
  private let claims = Mutex<[UInt64: UInt64]>([:])
  private let sources: SourceFiles
  private let replacing: ReplacementPolicy

  init(sources: SourceFiles, replacing: ReplacementPolicy) {
    self.sources = sources
    self.replacing = replacing
  }

  /// Fails for a path at which a source of this run is, unless it may be replaced.
  func checkSource(at location: String, path: String) throws(JobError) {
    guard !replacing.allowsSources, sources.contains(location) else { return }
    throw .overwritesSource(path)
  }

  /// Claims `location` for the output of `key`; false where another key has it.
  func claim(_ location: String, for key: ContentDigest) -> Bool {
    let path = Self.hash(location)
    let content = Self.hash(key.hex)
    return claims.withLock { claims in
      if let holder = claims[path] { return holder == content }
      claims[path] = content
      return true
    }
  }

  private static func hash(_ text: String) -> UInt64 {
    ContentDigest(hashing: text.utf8).hex.utf8.prefix(16).reduce(0) { value, digit in
      let number = digit < UInt8(ascii: "a") ? digit - UInt8(ascii: "0") : digit - UInt8(ascii: "a") + 10
      return value << 4 | UInt64(number)
    }
  }
}
