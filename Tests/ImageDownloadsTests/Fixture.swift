import Glibc
import ImageCaches
import ImageDownloads
import LoopbackServer
import Synchronization
import Testing

/// A store in a directory of its own that is gone with the fixture, and downloaders on it.
final class Fixture: Sendable {
  let directory: String

  init() throws {
    var template = Array("/tmp/imagemill-test-XXXXXX".utf8CString)
    try #require(mkdtemp(&template) != nil)
    directory = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
  }

  deinit {
    // The directory is this fixture's own, under /tmp.
    let process = ["rm", "-rf", directory]
    var arguments = process.map { strdup($0) } + [nil]
    var pid = pid_t()
    if posix_spawnp(&pid, "rm", nil, nil, &arguments, environ) == 0 { waitpid(pid, nil, 0) }
    arguments.forEach { free($0) }
  }

  var cache: String { directory + "/cache" }

  func store(capacity: Int = 1 << 30) throws -> DiskStore {
    try DiskStore(directory: cache, capacity: capacity)
  }

  /// Everything that a test on loopback needs: fast retries, loopback allowed.
  static var configuration: ImageDownloader.Configuration {
    var configuration = ImageDownloader.Configuration()
    _ = configuration.addressPolicy.allow("loopback")
    configuration.retryWait = .seconds(0.01)
    // A server that waits for a test's next step waits as long as a busy machine takes.
    configuration.timeout = .seconds(400)
    configuration.connectTimeout = .seconds(400)
    configuration.stallTimeout = .seconds(400)
    return configuration
  }

  /// Runs `body` with a downloader that is shut down afterwards.
  func withDownloader<Value>(
    _ configuration: ImageDownloader.Configuration = Fixture.configuration,
    report: @escaping @Sendable (DownloadEvent) -> Void = { _ in },
    _ body: (ImageDownloader) async throws -> Value
  ) async throws -> Value {
    let downloader = ImageDownloader(configuration: configuration, store: try store(), report: report)
    let result: Result<Value, any Error>
    do { result = .success(try await body(downloader)) } catch { result = .failure(error) }
    await downloader.shutDown()
    return try result.get()
  }
}

extension ImageDownloader {
  /// The outcome as a value.
  func outcome(
    _ url: String, priority: Int = 0, pinned: ContentDigest? = nil
  ) async -> Result<StoredSource, DownloadError> {
    do throws(DownloadError) {
      return .success(try await download(ImageRequest(.url(url)), priority: priority, pinnedDigest: pinned))
    } catch {
      return .failure(error)
    }
  }
}

extension Result where Failure == DownloadError {
  var error: DownloadError? { if case .failure(let error) = self { error } else { nil } }
}

/// Bytes that begin like a PNG, and differ by `seed`.
func imageBytes(_ seed: Int = 0, count: Int = 300) -> [UInt8] {
  [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]
    + (0..<max(0, count - 8)).map { UInt8(truncatingIfNeeded: ($0 &* 31 &+ seed &* 7) ^ ($0 >> 8)) }
}

func page(_ seed: Int = 0, count: Int = 300, fields: [(name: String, value: String)] = []) -> Page {
  Page(imageBytes(seed, count: count), type: "image/png", fields: fields)
}

/// The bytes of a file.
func contents(_ path: String) -> [UInt8] {
  guard let file = fopen(path, "rb") else { return [] }
  defer { fclose(file) }
  var bytes: [UInt8] = []
  var buffer = [UInt8](repeating: 0, count: 1 << 16)
  while case let count = fread(&buffer, 1, buffer.count, file), count > 0 { bytes += buffer[..<count] }
  return bytes
}
