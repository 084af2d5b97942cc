import Crypto
import Curl
import Glibc
import ImageCaches
import SystemIO

/// Sources that need no network: files, `data:` URLs, standard input.
extension ImageDownloader {
  /// Reads a local source. Blocks.
  func local(_ key: RequestKey) -> DownloadStateMachine.Outcome {
    let reader = LocalReader(store: store, byteLimit: configuration.byteLimit, source: key.displayText)
    let outcome = reader.read(key.source)
    guard key.wantsImage, let pinned = key.pinnedDigest, case .success(let response) = outcome,
      response.digest != pinned
    else { return outcome }
    return .failure(.mismatch(response.digest, pinned: pinned, source: key.displayText))
  }
}

/// Reads local sources. Functions block.
struct LocalReader: Sendable {
  let store: DiskStore
  let byteLimit: Int
  let source: String

  func read(_ source: ImageSource) -> DownloadStateMachine.Outcome {
    do {
      switch source {
      case .file(let path): return .success(try file(path))
      case .data(let text): return .success(try data(text))
      case .standardInput: return .success(try standardInput())
      case .url(let text): throw DownloadError.badSource(text, "this is not a local source")
      }
    } catch let error as DownloadError {
      return .failure(error)
    } catch {
      return .failure(unreadable((error as? CacheError)?.message ?? "\(error)"))
    }
  }

  /// Uses a file in place. An inherited pipe, such as a shell's `<(…)`, is read to its end.
  func file(_ path: String) throws -> Response {
    // Without O_NONBLOCK, opening a named pipe that has no writer would block forever.
    guard let file = try FileDescriptor.open(path, O_RDONLY | O_NONBLOCK) else {
      var error = unreadable("there is no file '\(path)'")
      error.reason = .missingFile(path)
      throw error
    }
    let status = file.status
    switch status.st_mode & S_IFMT {
    case S_IFREG: break
    case S_IFDIR: throw unreadable("'\(path)' is a directory; name a file in it")
    case S_IFIFO where Self.isInherited(path):
      let flags = fcntl(file.number, F_GETFL)
      guard flags >= 0, fcntl(file.number, F_SETFL, flags & ~O_NONBLOCK) >= 0 else {
        throw unreadable("can't read \(path): \(SystemError.last.text)")
      }
      return try stream(file, path: path)
    default:
      throw unreadable("'\(path)' is not a regular file; to read it to its end, use '-' and < '\(path)'")
    }
    guard status.st_size <= byteLimit else { throw DownloadError.tooLarge(source, "file", limit: byteLimit) }
    guard status.st_size > 0 else {
      throw DownloadError(.empty, "the file '\(path)' is empty", source: source)
    }
    let absolute = FileFingerprint.absolute(path)
    // If the file changes while it is read, the digest belongs to none of its states: read it again.
    for _ in 0..<Self.attempts {
      let fingerprint = FileFingerprint(path: absolute, status: file.status)
      let isCertain = !fingerprint.isRecent(at: SystemTime.nanoseconds)
      // Hashing a small file is cheaper than looking its digest up, and a single conversion then needs no index.
      let digest =
        fingerprint.bytes <= Self.smallFile
        ? try file.digest(path: path).digest : try store.digest(of: file, path: path)
      if FileFingerprint(path: absolute, status: file.status) == fingerprint {
        return Response(file: path, digest: digest, fingerprint: fingerprint, isFingerprintCertain: isCertain)
      }
    }
    var error = unreadable("the file '\(path)' changed while being read; run again when it is complete")
    error.isTemporary = true
    throw error
  }

  /// The maximum number of attempts to read a file that changes.
  private static let attempts = 3

  /// Whether a path names an open descriptor. Opening it doesn't block.
  private static func isInherited(_ path: String) -> Bool {
    path == "/dev/stdin" || path.hasPrefix("/dev/fd/") || path.hasPrefix("/proc/self/fd/")
  }

  /// The maximum size, in bytes, of a file that is hashed without looking its digest up.
  private static let smallFile = 256 << 10

  /// Stores the bytes of a `data:` URL (RFC 2397).
  func data(_ text: String) throws -> Response {
    guard let data = DataURL(text) else {
      throw DownloadError.badSource(text, "this is not a data: URL of the form data:image/png;base64,…")
    }
    guard data.bytes.count <= byteLimit else {
      throw DownloadError.tooLarge(source, "data", limit: byteLimit)
    }
    guard !data.bytes.isEmpty else { throw DownloadError(.empty, "the data: URL is empty", source: source) }
    let temporary = try store.makeTemporaryFile()
    try temporary.file.write(data.bytes, path: temporary.path)
    let object = try store.insert(temporary, digest: ContentDigest(hashing: data.bytes))
    var response = Response(object, head: ResponseHead(status: 200), url: nil, .local)
    response.head.fields = [.init("Content-Type", data.mediaType)]
    return response
  }

  /// Reads standard input to its end into the store.
  func standardInput() throws -> Response {
    let number = dup(STDIN_FILENO)
    guard number >= 0 else { throw unreadable("standard input is closed") }
    return try stream(FileDescriptor(number), path: "standard input")
  }

  /// Reads a descriptor to its end into the store.
  private func stream(_ file: FileDescriptor, path: String) throws -> Response {
    let temporary = try store.makeTemporaryFile()
    var hasher = SHA256()
    var byteCount = 0
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 16, alignment: 16)
    defer { buffer.deallocate() }
    while true {
      let count: Int
      do throws(SystemError) { count = try FileIO.read(file.number, into: buffer) } catch {
        throw unreadable("can't read \(path): \(error.text)")
      }
      if count == 0 { break }
      let bytes = UnsafeRawBufferPointer(rebasing: buffer[..<count])
      byteCount += count
      guard byteCount <= byteLimit else { throw DownloadError.tooLarge(source, "input", limit: byteLimit) }
      hasher.update(bufferPointer: bytes)
      try temporary.write(bytes)
    }
    guard byteCount > 0 else { throw DownloadError(.empty, "\(path) is empty", source: source) }
    let object = try store.insert(temporary, digest: ContentDigest(hasher.finalize()))
    return Response(object, head: ResponseHead(status: 200), url: nil, .local)
  }

  private func unreadable(_ message: String) -> DownloadError {
    DownloadError(.unreadable, message, source: source)
  }
}
