import Glibc
import SystemIO

/// A manifest of any kind, opened: a document read whole, or a stream of lines.
///
///     switch try ManifestInput(path: "list.csv.gz", options) {
///     case .document(let manifest): …
///     case .lines(let jobs): for await result in jobs { … }
///     }
package enum ManifestInput: Sendable {
  /// Read whole and found right.
  case document(Manifest)
  /// To be read as it goes on.
  case lines(LineJobs)

  /// A larger document is refused: lists that long are better streamed.
  package static let maximumDocument = 64 << 20

  /// Opens the manifest at `path`; `-` is standard input. Its name says what it is, or else its first bytes do. With
  /// `form` it is lines of that form, whatever its name. Blocks while a document is read.
  package init(
    path: String, form: LineForm? = nil, firstIndex: Int = 1, _ options: ManifestOptions
  ) throws(ManifestErrors) {
    let file = try ManifestFile(path: path)
    var prefix: [UInt8] = []
    var kind = form.map(ManifestKind.lines) ?? ManifestKind(fileName: path)
    if kind == nil {
      prefix = try file.read(atMost: 64 << 10)
      let start = try Self.start(prefix, path)
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
  /// The first bytes as they are meant, which say what the manifest is.
  static func start(_ prefix: [UInt8], _ path: String) throws(ManifestErrors) -> [UInt8] {
    var start = prefix
    if prefix.starts(with: Inflater.signature) {
      // The rest of the stream is not there yet.
      start = try inflated(prefix, path).bytes
    }
    if ManifestText.isUTF16(start) { throw failure(path, ManifestText.utf16Message) }
    if start.contains(0) {
      throw failure(path, "this is binary data and no manifest: give a picture to 'imagemill convert'")
    }
    return start
  }

  /// A document's bytes, which may have been compressed.
  private static func unpacked(_ bytes: [UInt8], _ path: String) throws(ManifestErrors) -> [UInt8] {
    guard bytes.starts(with: Inflater.signature) else { return bytes }
    let (result, isComplete) = try inflated(bytes, path)
    guard isComplete else { throw failure(path, "the gzip data ends too early") }
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
      // In small pieces: a byte may stand for a thousand.
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

/// An open manifest; closed when nothing holds it any more, if it was opened here.
final class ManifestFile: Sendable {
  let descriptor: Int32
  private let path: String
  private let isOwned: Bool

  init(path: String) throws(ManifestErrors) {
    self.path = path
    isOwned = path != "-"
    do throws(SystemError) {
      descriptor = isOwned ? try FileIO.open(path, O_RDONLY) : STDIN_FILENO
    } catch {
      throw Self.failure(path, "can't be opened: \(error.text)")
    }
  }

  /// A descriptor that stays the caller's.
  init(borrowing descriptor: Int32) {
    self.descriptor = descriptor
    path = "-"
    isOwned = false
  }

  deinit { if isOwned { close(descriptor) } }

  /// The bytes that are there, up to `count`; waits for at least one, and gives none at the end.
  func read(atMost count: Int) throws(ManifestErrors) -> [UInt8] {
    var room = [UInt8](repeating: 0, count: count)
    do throws(SystemError) {
      return Array(room[..<(try FileIO.read(descriptor, into: &room))])
    } catch {
      throw Self.failure(path, "can't be read: \(error.text)")
    }
  }

  /// Everything from `start` to the end.
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
      "a document of more than \(limit >> 20) MiB: write long lists as NDJSON or CSV, which are streamed")
  }

  private static func failure(_ path: String, _ message: String) -> ManifestErrors {
    ManifestErrors([.init(file: path, line: 1, column: 1, message: message)])
  }
}
