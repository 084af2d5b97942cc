import FoundationEssentials
import Glibc
import ImageCaches
import ImageDownloads
import SystemIO

/// The digests of a run's manifests, sources and outputs, for review and for checks that need no cache.
///
/// JSON, sorted, one member a line, so that a version control system shows what changed. It holds digests and never
/// keys: a machine with other codecs agrees with it as long as the files are the ones in it. Paths are relative to the
/// directory that the lock file is in.
public struct LockFile: Sendable, Hashable, Codable {
  /// A source as a run found it.
  public struct Source: Sendable, Hashable, Codable {
    /// The bytes' SHA-256, 64 hexadecimal digits; nil where the source failed and the placeholder was used.
    public var sha256: String?
    /// The size in bytes.
    public var bytes: Int?
    /// Where the bytes came from after redirects; nil for a local source.
    public var finalURL: String?
    /// The response's `ETag`.
    public var etag: String?
    /// The response's `Last-Modified`.
    public var lastModified: String?
    /// The response's content type.
    public var type: String?
    /// The image's format.
    public var format: String?
    /// In pixels.
    public var width: Int?
    /// In pixels, of one frame.
    public var height: Int?

    enum CodingKeys: String, CodingKey {
      case sha256, bytes, etag, type, format, width, height
      case finalURL = "final-url"
      case lastModified = "last-modified"
    }

    /// An entry for a source that was used.
    public init(_ record: SourceRecord) {
      let stored = record.stored
      sha256 = stored.digest.hex
      bytes = stored.byteCount
      finalURL = stored.finalURL
      etag = stored.etag
      lastModified = stored.lastModified
      type = stored.contentType
      format = record.format
      width = record.width
      height = record.height
    }

    /// An entry for a source that failed.
    public init() {}
  }

  /// An output as a run left it.
  public struct Output: Sendable, Hashable, Codable {
    /// The file's SHA-256, 64 hexadecimal digits.
    public var sha256: String
    /// The size in bytes.
    public var bytes: Int
    /// A hash of what was asked for: sources, chain, encoding, template and variables.
    public var recipe: String

    /// An entry made of its parts.
    public init(sha256: String, bytes: Int, recipe: String) {
      self.sha256 = sha256
      self.bytes = bytes
      self.recipe = recipe
    }
  }

  /// The form of this file.
  public private(set) var version = Self.currentVersion
  /// The manifests' SHA-256, by path.
  public var manifests: [String: String] = [:]
  /// The sources, by the text that shows them: without credentials, `data:` URLs shortened.
  public var sources: [String: Source] = [:]
  /// The outputs, by path.
  public var outputs: [String: Output] = [:]

  private static let currentVersion = 2

  enum CodingKeys: String, CodingKey {
    case version = "imagemill-lock"
    case manifests, sources, outputs
  }

  /// A lock of nothing.
  public init() {}

  /// Decodes a lock of any version: one of version 1 has sources alone.
  public init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    version = try values.decode(Int.self, forKey: .version)
    manifests = try values.decodeIfPresent([String: String].self, forKey: .manifests) ?? [:]
    sources = try values.decode([String: Source].self, forKey: .sources)
    outputs = try values.decodeIfPresent([String: Output].self, forKey: .outputs) ?? [:]
  }

  /// Why a lock file can't be used.
  public enum Failure: Error, Sendable {
    /// It can't be read, or is no lock file.
    case unreadable
    /// It is of a version that isn't read here.
    case version(Int)
    /// It can't be written; `errno` in words.
    case unwritable(String)
  }

  /// Reads a lock file. One of version 1 has sources alone.
  public init(path: String) throws(Failure) {
    do {
      self = try JSONDecoder().decode(LockFile.self, from: Data(try AtomicFile.read(path)))
    } catch {
      throw .unreadable
    }
    guard version <= Self.currentVersion else { throw .version(version) }
  }

  /// Writes it whole or not at all.
  public func write(to path: String) throws(Failure) {
    let bytes = try encoded()
    do throws(AtomicFile.Failure) {
      try AtomicFile.write(bytes, to: path)
    } catch {
      throw .unwritable(error.message)
    }
  }

  /// What the file holds: JSON, sorted, one member a line.
  public func encoded() throws(Failure) -> [UInt8] {
    var lock = self
    lock.version = Self.currentVersion
    do {
      return Array(try JSONText.encoded(lock, pretty: true)) + [UInt8(ascii: "\n")]
    } catch {
      throw .unwritable("\(error)")
    }
  }

  /// Whether it says anything of outputs: one of version 1 doesn't.
  public var hasOutputs: Bool { version >= 2 }
}

/// Paths as a lock file holds them: the same in every clone of a repository.
public struct LockPaths: Sendable {
  private let directory: [Substring]

  /// Paths for the lock file at `path`, whose directory must exist.
  public init?(lockFile path: String) {
    guard let real = RealPath.ofEntry(path) else { return nil }
    directory = Paths.components(real).dropLast()
  }

  /// The path as the lock has it; nil where its directory isn't there.
  public func relative(_ path: String) -> String? {
    guard let real = RealPath.ofEntry(path) else { return nil }
    return Paths.relative(Paths.components(real), to: directory).joined(separator: "/")
  }

  /// The path to open for one that the lock has.
  public func absolute(_ path: String) -> String {
    "/" + (directory + Paths.components(path)).joined(separator: "/")
  }
}

extension LockFile {
  /// What an output was asked to be: equal recipes of equal sources are equal outputs on any one machine.
  public static func recipe(_ output: ImageBatch.Output, of job: Job) -> String {
    var key = KeyBuilder("lock-recipe")
    key.append("\(job.sources.count)")
    for source in job.sources { key.append(source.displayText) }
    key.append(optional: job.placeholder?.displayText)
    key.append(output.template.text)
    for (name, value) in output.variables.sorted(by: { $0.key < $1.key }) {
      key.append(name)
      key.append(value)
    }
    key.append(output.chain.identifier)
    for reference in output.chain.references {
      key.append(optional: output.namedSources[reference]?.displayText)
    }
    key.append(output.encoding.identifier)
    return String(key.digest.hex.prefix(16))
  }
}
