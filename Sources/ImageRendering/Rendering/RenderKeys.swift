package import ImageCaches
package import ImageFilters
import Synchronization
import Vips

/// The cache keys of renditions and outputs, in memory and on disk.
package enum RenderKeys {
  /// Identifies everything in this build that pixels depend on: the pipeline's version, libvips' version, and a digest
  /// of the loaded codec libraries' builds. Reading it doesn't start libvips, and loads it only if no worker process is
  /// expected to tell it (``EngineIdentity``).
  package static let engine = EngineIdentity.resolve()

  /// The engine in this process, which is loaded.
  static let loadedEngine: String = {
    let builds = ContentDigest(hashing: LoadedLibraries.builds.joined(separator: "\n").utf8)
    return "imagemill-pixels-7;libvips-\(VipsRuntime.version);codecs-\(builds.hex.prefix(16))"
  }()

  /// The key of a rendition.
  /// - Parameters:
  ///   - content: The source's digest.
  ///   - decoding: ``DecodeKey/identifier``.
  ///   - chain: The filters so far.
  ///   - auxiliary: The digests of the images that the chain refers to, by reference.
  ///   - onCorrupt: Whether corrupt images are accepted.
  package static func rendition(
    of content: ContentDigest, decoding: String, chain: FilterChain, auxiliary: [String: ContentDigest],
    onCorrupt: CorruptPolicy
  ) -> ContentDigest {
    var key = KeyBuilder("rendition-2")
    append(&key, content, chain, auxiliary, onCorrupt)
    key.append(decoding)
    return key.digest
  }

  /// The key of an output: its rendition and its encoding.
  package static func output(
    of content: ContentDigest, chain: FilterChain, encoding: Encoding,
    auxiliary: [String: ContentDigest] = [:], onCorrupt: CorruptPolicy = .fail
  ) -> ContentDigest {
    var key = KeyBuilder("output")
    append(&key, content, chain, auxiliary, onCorrupt)
    key.append(encoding.identifier)
    return key.digest
  }

  private static func append(
    _ key: inout KeyBuilder, _ content: ContentDigest, _ chain: FilterChain,
    _ auxiliary: [String: ContentDigest], _ onCorrupt: CorruptPolicy
  ) {
    // An image made of a part of its source isn't the one that is asked for where such a source is an error.
    if onCorrupt == .warn { key.append("on-corrupt warn") }
    key.append(engine)
    key.append(content.hex)
    // Images count by their content. Their URLs may have passwords, which no stored digest may depend on, and signatures that
    // change with each run.
    key.append(chain.replacingReferences { auxiliary[$0]?.hex ?? $0 }.identifier)
    for font in chain.fonts { key.append(optional: fontDigest(font)?.hex) }
  }

  /// Digests by font name. Fonts are read once per process.
  private static let fontDigests = Mutex<[String: ContentDigest?]>([:])

  /// nil if the font has no readable file; rendering reports that.
  private static func fontDigest(_ font: String) -> ContentDigest? {
    fontDigests.withLock { digests in
      if let known = digests[font] { return known }
      let digest = FontFile.path(for: font).flatMap { path -> ContentDigest? in
        guard FontFile.refusal(ofFile: path) == nil else { return nil }
        do { return try FileReading.digest(of: PlacedFiles.location(of: path)).digest } catch { return nil }
      }
      digests[font] = .some(digest)
      return digest
    }
  }
}
