import Glibc
import SystemIO

/// An open manifest: a document, read to its end, or a stream of lines.
///
///     switch try ManifestInput(path: "list.csv.gz", options) {
///     case .document(let manifest): …
///     case .lines(let jobs): for await result in jobs { … }
///     }
package enum ManifestInput: Sendable {
  /// A valid document.
  case document(Manifest)
  /// A stream, read while the batch runs.
  case lines(LineJobs)

  /// The maximum size of a document, in bytes; streams are unlimited.
  package static let maximumDocument = 64 << 20

  /// Opens a manifest. Blocks while a document is read.
  /// - Parameters:
  ///   - path: The path; `-` is standard input.
  ///   - form: The form of a stream; nil detects the kind by the file name, or else by the first bytes.
  ///   - firstIndex: The index of the first job.
  /// - Throws: `ManifestErrors` if the file can't be read, or a document has mistakes.
  package init(
    path: String, form: LineForm? = nil, firstIndex: Int = 1, _ options: ManifestOptions
  ) throws(ManifestErrors) {
    let file = try ManifestFile(path: path)
    var prefix: [UInt8] = []
    var kind = form.map(ManifestKind.lines) ?? ManifestKind(fileName: path)
    if kind == nil {
      prefix = try file.read(atMost: 64 << 10)
      let start = try Self.start(prefix, path, options.hints)
      kind = ManifestKind(sniffing: start)
    }
    switch kind {
    case .lines(let form):
      var lines = LineOptions(form)
      lines.firstIndex = firstIndex
      lines.prefix = prefix
      self = .lines(try LineJobs(file: file, name: path, lines, options))
    case .document(let form):
      let bytes = try Self.unpacked(try file.rest(after: prefix, limit: Self.maximumDocument), path)
      var manifest = try ManifestReader(options).read(bytes, name: path, form: form)
      for index in manifest.jobs.indices { manifest.jobs[index].index += firstIndex - 1 }
      for index in manifest.rows.indices { manifest.rows[index].firstIndex += firstIndex - 1 }
      self = .document(manifest)
    case nil:
      throw ManifestErrors([.init(file: path, line: 1, column: 1, message: "this can't be read")])
    }
  }
}

extension ManifestInput {
  /// The first bytes, decompressed, for detecting the kind.
  static func start(
    _ prefix: [UInt8], _ path: String, _ hints: ManifestHints
  ) throws(ManifestErrors) -> [UInt8] {
    var start = prefix
    if prefix.starts(with: Inflater.signature) {
      // The prefix is only the beginning of the stream.
      start = try inflated(prefix, path).bytes
    }
    if ManifestText.isUTF16(start) { throw failure(path, ManifestText.utf16Message) }
    if start.contains(0) {
      throw failure(path, binaryMessage + hints.image)
    }
    return start
  }

  static let binaryMessage = "this is binary data, not a manifest"

  /// A document's bytes, decompressed.
  private static func unpacked(_ bytes: [UInt8], _ path: String) throws(ManifestErrors) -> [UInt8] {
    guard bytes.starts(with: Inflater.signature) else { return bytes }
    let (result, isComplete) = try inflated(bytes, path)
    guard isComplete else { throw failure(path, "the gzip data is truncated") }
    guard result.count <= maximumDocument else { throw ManifestFile.tooLong(path, maximumDocument) }
    return result
  }

  private static func inflated(
    _ bytes: [UInt8], _ path: String
  ) throws(ManifestErrors) -> (bytes: [UInt8], isComplete: Bool) {
    do {
      var inflater = try Inflater()
      var result: [UInt8] = []
      var rest = bytes[...]
      // In small pieces, since a byte can decompress to a thousand.
      while !rest.isEmpty, result.count <= maximumDocument {
        try inflater.inflate(rest.prefix(4096)) { result += $0 }
        rest = rest.dropFirst(4096)
      }
      return (result, inflater.isComplete)
    } catch {
      throw failure(path, error.message)
    }
  }

  private static func failure(_ path: String, _ message: String) -> ManifestErrors {
    ManifestErrors([.init(file: path, line: 1, column: 1, message: message)])
  }
}

/// An open manifest, closed on deinit unless the descriptor is borrowed.
final class ManifestFile: Sendable {
  let descriptor: Int32
  private let path: String
  private let isOwned: Bool

  init(path: String) throws(ManifestErrors) {
    self.path = path
    isOwned = path != "-"
    do throws(SystemError) {
      if isOwned, Directory.exists(at: path) { throw SystemError(code: EISDIR) }
      descriptor = isOwned ? try FileIO.open(path, O_RDONLY) : STDIN_FILENO
    } catch {
      // A file that isn't there has no first line.
      throw ManifestErrors([
        .init(file: path, line: 0, column: 0, message: "can't be opened: \(error.text)")
      ])
    }
  }

  /// Wraps a descriptor that the caller closes.
  init(borrowing descriptor: Int32) {
    self.descriptor = descriptor
    path = "-"
    isOwned = false
  }

  deinit { if isOwned { close(descriptor) } }

  /// Reads the available bytes, up to `count`; waits for at least one, and returns none at the end.
  func read(atMost count: Int) throws(ManifestErrors) -> [UInt8] {
    var room = [UInt8](repeating: 0, count: count)
    do throws(SystemError) {
      return Array(room[..<(try FileIO.read(descriptor, into: &room))])
    } catch {
      throw Self.failure(path, "can't be read: \(error.text)")
    }
  }

  /// Reads to the end, up to `limit` bytes; the result begins with `start`.
  func rest(after start: [UInt8], limit: Int) throws(ManifestErrors) -> [UInt8] {
    var bytes = start
    while true {
      let more = try read(atMost: 256 << 10)
      if more.isEmpty { return bytes }
      bytes += more
      guard bytes.count <= limit else {
        throw Self.tooLong(path, limit)
      }
    }
  }

  static func tooLong(_ path: String, _ limit: Int) -> ManifestErrors {
    failure(
      path,
      "the document is larger than \(limit >> 20) MiB: write long lists as NDJSON or CSV, which are streamed")
  }

  private static func failure(_ path: String, _ message: String) -> ManifestErrors {
    ManifestErrors([.init(file: path, line: 1, column: 1, message: message)])
  }
}
