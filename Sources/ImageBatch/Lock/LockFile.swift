import FoundationEssentials
import Glibc
import ImageCaches
import ImageDownloads
import SystemIO

/// The digests of a run's manifests, sources and outputs, for code review and for checks without a cache.
///
/// The file is sorted JSON with one member per line, so that version control shows changes clearly. It has digests
/// instead of cache keys, so that it is valid on machines with other codecs. Paths are relative to its directory.
package struct LockFile: Sendable, Hashable, Codable {
  /// A source of a run: its digest and the validators of its response.
  package struct Source: Sendable, Hashable, Codable {
    /// The SHA-256 as 64 hexadecimal digits; nil if the source couldn't be downloaded, or wasn't because another one was
    /// used.
    package var sha256: String?
    /// The size in bytes; nil like ``sha256``.
    package var bytes: Int?
    /// The URL after redirects; nil for a local source.
    package var finalURL: String?
    /// The response's `ETag` field; nil if it has none.
    package var etag: String?
    /// The response's `Last-Modified` field; nil if it has none.
    package var lastModified: String?
    /// The response's content type without parameters; nil if it has none.
    package var type: String?
    /// The format of the image; nil if it was never decoded.
    package var format: String?
    /// The width in pixels; nil if the image was never decoded.
    package var width: Int?
    /// The height of one frame in pixels; nil if the image was never decoded.
    package var height: Int?

    enum CodingKeys: String, CodingKey {
      case sha256, bytes, etag, type, format, width, height
      case finalURL = "final-url"
      case lastModified = "last-modified"
    }

    /// Creates an entry for a source that was downloaded.
    /// - Parameter record: The source's bytes, response and header.
    package init(_ record: SourceRecord) {
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

    /// Creates an entry for a source that wasn't downloaded.
    package init() {}

    /// Adds the facts of the image from another entry of the same bytes.
    mutating func learn(factsOf other: Source) {
      guard other.sha256 == sha256, format == nil else { return }
      (format, width, height) = (other.format, other.width, other.height)
    }
  }

  /// An output of a run: its digest and its recipe.
  package struct Output: Sendable, Hashable, Codable {
    /// The file's SHA-256 as 64 hexadecimal digits.
    package var sha256: String
    /// The size of the file in bytes.
    package var bytes: Int
    /// A hash of sources, chain, encoding, template and variables. See ``LockFile/recipe(_:of:)``.
    package var recipe: String

    /// Creates an entry of an output.
    /// - Parameters:
    ///   - sha256: The file's SHA-256 as 64 hexadecimal digits.
    ///   - bytes: The size in bytes.
    ///   - recipe: The hash of the output's settings.
    package init(sha256: String, bytes: Int, recipe: String) {
      self.sha256 = sha256
      self.bytes = bytes
      self.recipe = recipe
    }
  }

  /// The version of JSON documents, as in every document.
  private var documentVersion = JSONText.documentVersion
  /// The version of the file format.
  package private(set) var version = Self.currentVersion
  /// The manifests' SHA-256 by path, relative to the lock file's directory.
  package var manifests: [String: String] = [:]
  /// The sources by their text without credentials; `data:` URLs are shortened.
  package var sources: [String: Source] = [:]
  /// The outputs by path, relative to the lock file's directory.
  package var outputs: [String: Output] = [:]

  private static let currentVersion = 2

  enum CodingKeys: String, CodingKey {
    case documentVersion = "version"
    case version = "imagemill-lock"
    case manifests, sources, outputs
  }

  /// Creates an empty lock of the current version.
  package init() {}

  /// Decodes a lock of any version. Version 1 has only sources.
  /// - Parameter decoder: A decoder with the members of the lock file.
  /// - Throws: `DecodingError` if a required member is missing or has another type.
  package init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    version = try values.decode(Int.self, forKey: .version)
    manifests = try values.decodeIfPresent([String: String].self, forKey: .manifests) ?? [:]
    sources = try values.decode([String: Source].self, forKey: .sources)
    outputs = try values.decodeIfPresent([String: Output].self, forKey: .outputs) ?? [:]
  }

  /// An error of reading or writing a lock file.
  package enum Failure: Error, Sendable {
    /// The file can't be read or isn't a lock file.
    case unreadable(String)
    /// The file has this unsupported version.
    case version(Int)
    /// The file can't be written, with the system's error message.
    case unwritable(String)
  }

  /// Reads a lock file. Version 1 has only sources.
  /// - Parameter path: The path of the file.
  /// - Throws: ``Failure/unreadable(_:)`` if the file can't be read or isn't a lock file; ``Failure/version(_:)``
  ///   if its version is newer.
  package init(path: String) throws(Failure) {
    let bytes: [UInt8]
    do throws(SystemError) { bytes = try File.contents(of: path) } catch {
      throw .unreadable(error.text)
    }
    do {
      self = try JSONDecoder().decode(LockFile.self, from: Data(bytes))
    } catch {
      throw .unreadable("it isn't a lock file")
    }
    guard version <= Self.currentVersion else { throw .version(version) }
  }

  /// Writes the file atomically, syncs it to disk, and makes its missing directories.
  /// - Parameter path: The path of the file, which is replaced.
  /// - Throws: ``Failure/unwritable(_:)``.
  package func write(to path: String) throws(Failure) {
    let bytes = try encoded()
    do throws(SystemError) {
      try Directory.create(DirectoryEntry(path).directory)
    } catch {
      throw .unwritable("can't create its directory: \(error.text)")
    }
    do throws(AtomicFile.Failure) {
      // Synced even in fast mode: unlike outputs, no later run can make it again.
      try AtomicFile.write(bytes, to: path, options: .init(syncs: true))
    } catch {
      throw .unwritable(error.message)
    }
  }

  /// The file's contents: sorted JSON with one member per line, in the current version.
  /// - Returns: JSON in UTF-8 that ends with a newline.
  /// - Throws: ``Failure/unwritable(_:)`` if the lock can't be encoded.
  package func encoded() throws(Failure) -> [UInt8] {
    var lock = self
    lock.version = Self.currentVersion
    do {
      return Array(try JSONText.encoded(lock, pretty: true)) + [UInt8(ascii: "\n")]
    } catch {
      throw .unwritable("\(error)")
    }
  }

  /// Whether the lock has outputs. Version 1 doesn't.
  package var hasOutputs: Bool { version >= 2 }
}

/// Converts paths to and from those in a lock file, which are the same in every clone of a repository.
package struct LockPaths: Sendable {
  private let directory: [Substring]

  /// Creates a converter for the lock file at a path; nil if its directory doesn't exist.
  /// - Parameter path: The path of the lock file, which may not exist yet.
  package init?(lockFile path: String) {
    guard let real = RealPath.ofEntry(path) else { return nil }
    directory = Paths.components(real).dropLast()
  }

  /// The path relative to the lock file's directory.
  /// - Parameter path: A path, absolute or relative to the current directory. Links in its directory are
  ///   resolved.
  /// - Returns: nil if the path's directory doesn't exist.
  package func relative(_ path: String) -> String? {
    guard let real = RealPath.ofEntry(path) else { return nil }
    return Paths.relative(Paths.components(real), to: directory).joined(separator: "/")
  }

  /// The absolute path of a path in the lock file.
  /// - Parameter path: A path relative to the lock file's directory.
  package func absolute(_ path: String) -> String {
    "/" + (directory + Paths.components(path)).joined(separator: "/")
  }
}

extension LockFile {
  /// A hash of an output's settings. On one machine, equal recipes of equal sources make equal outputs.
  /// - Parameters:
  ///   - output: The output, of which the template, variables, chain, named sources and encoding count.
  ///   - job: Its job, of which the sources and the placeholder count.
  /// - Returns: 16 hexadecimal digits.
  package static func recipe(_ output: JobOutput, of job: Job) -> String {
    var key = KeyBuilder("lock-recipe")
    key.append("\(job.sources.count)")
    for source in job.sources { key.append(source.displayText) }
    key.append(optional: job.placeholder?.displayText)
    key.append(output.template.text)
    for (name, value) in output.variables.sorted(by: { $0.key < $1.key }) {
      key.append(name)
      key.append(value)
    }
    // Lock files are public: a hash of a password can be guessed at.
    key.append(output.chain.displayIdentifier)
    for reference in output.chain.references {
      key.append(optional: output.namedSources[reference]?.displayText)
    }
    key.append(output.encoding.identifier)
    return String(key.digest.hex.prefix(16))
  }
}
