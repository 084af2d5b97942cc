public import ImageCaches
public import ImageFilters
import Synchronization
import Vips

/// The keys of what rendering makes, for caches in memory and on disk.
public enum RenderKeys {
  /// Everything about this program and its libraries that pixels depend on: the version of this pipeline, libvips'
  /// version, and a digest of the builds of the codecs that are loaded. It doesn't start libvips.
  public static let engine: String = {
    let builds = ContentDigest(hashing: LoadedLibraries.builds.joined(separator: "\n").utf8)
    return "imagemill-pixels-4;libvips-\(VipsRuntime.version);codecs-\(builds.hex.prefix(16))"
  }()

  /// What a rendition is known by: the source's content, what of it is decoded, the filters so far, and the contents
  /// that they name.
  /// - Parameter decoding: ``DecodeDistinction/identifier``.
  static func rendition(
    of content: ContentDigest, decoding: String, chain: FilterChain, auxiliary: [String: ContentDigest]
  ) -> ContentDigest {
    var key = KeyBuilder("rendition")
    append(&key, content, chain, auxiliary)
    key.append(decoding)
    return key.digest
  }

  /// What an output is known by: its rendition and its encoding.
  public static func output(
    of content: ContentDigest, chain: FilterChain, encoding: Encoding,
    auxiliary: [String: ContentDigest] = [:]
  ) -> ContentDigest {
    var key = KeyBuilder("output")
    append(&key, content, chain, auxiliary)
    key.append(encoding.identifier)
    return key.digest
  }

  private static func append(
    _ key: inout KeyBuilder, _ content: ContentDigest, _ chain: FilterChain,
    _ auxiliary: [String: ContentDigest]
  ) {
    key.append(engine)
    key.append(content.hex)
    key.append(chain.identifier)
    for reference in chain.references {
      key.append(reference)
      key.append(optional: auxiliary[reference]?.hex)
    }
    for font in chain.fonts { key.append(optional: fontDigest(font)?.hex) }
  }

  /// Fonts are read once a process: they are the machine's, not the batch's.
  private static let fontDigests = Mutex<[String: ContentDigest?]>([:])

  /// nil where a font has no file that can be read; rendering then says so.
  private static func fontDigest(_ font: String) -> ContentDigest? {
    fontDigests.withLock { digests in
      if let known = digests[font] { return known }
      let digest = FontFile.path(for: font).flatMap { path -> ContentDigest? in
        do { return try FileReading.digest(of: path).digest } catch { return nil }
      }
      digests[font] = .some(digest)
      return digest
    }
  }
}
