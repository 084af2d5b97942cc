import Glibc

/// A manifest of any kind, opened: a document read whole, or a stream of lines.
///
///     switch try ManifestInput(path: "list.csv.gz", options) {
///     case .document(let manifest): …
///     case .lines(let jobs): for await result in jobs { … }
///     }
public enum ManifestInput: Sendable {
  /// Read whole and found right.
  case document(Manifest)
  /// To be read as it goes on.
  case lines(LineJobs)

  /// A larger document is refused: lists that long are better streamed.
  public static let maximumDocument = 64 << 20

  /// Opens the manifest at `path`; `-` is standard input. Its name says what it is, or else its first bytes do. With
  /// `form` it is lines of that form, whatever its name. Blocks while a document is read.
  public init(
    path: String, form: LineForm? = nil, firstIndex: Int = 1, _ options: ManifestOptions
  ) throws(ManifestErrors) {
    let file = try ManifestFile(path: path)
    var prefix: [UInt8] = []
    var kind = form.map(ManifestKind.lines) ?? ManifestKind(fileName: path)
    if kind == nil {
      prefix = try file.read(atMost: 64 << 10)
      // What is compressed is a list; a document is small enough as it is.
      kind = prefix.starts(with: Inflater.signature) ? .lines(.sources) : ManifestKind(sniffing: prefix)
    }
    switch kind {
    case .lines(let form):
      var lines = LineOptions(form)
      lines.firstIndex = firstIndex
      lines.prefix = prefix
      self = .lines(try LineJobs(file: file, name: path, lines, options))
    case .document(let form):
      let bytes = try file.rest(after: prefix, limit: Self.maximumDocument)
      var manifest = try ManifestReader(options).read(bytes, name: path, form: form)
      for index in manifest.jobs.indices { manifest.jobs[index].index += firstIndex - 1 }
      self = .document(manifest)
    case nil:
      throw ManifestErrors([.init(file: path, line: 1, column: 1, message: "this can't be read")])
    }
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
    descriptor = isOwned ? open(path, O_RDONLY | O_CLOEXEC) : STDIN_FILENO
    guard descriptor >= 0 else {
      throw Self.failure(path, "can't be opened: \(String(cString: strerror(errno)))")
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
    while true {
      let found = Glibc.read(descriptor, &room, count)
      if found >= 0 { return Array(room[..<found]) }
      if errno != EINTR { throw Self.failure(path, "can't be read: \(String(cString: strerror(errno)))") }
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
        throw Self.failure(
          path,
          "a document of more than \(limit >> 20) MiB: write long lists as NDJSON or CSV, which are streamed")
      }
    }
  }

  private static func failure(_ path: String, _ message: String) -> ManifestErrors {
    ManifestErrors([.init(file: path, line: 1, column: 1, message: message)])
  }
}
