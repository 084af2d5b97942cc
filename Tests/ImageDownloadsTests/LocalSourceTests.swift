import Foundation
import Glibc
import ImageCaches
import Testing

@testable import ImageDownloads

@Suite("Local sources", .timeLimit(.minutes(8)))
struct LocalSourceTests {
  private let fixture: Fixture
  private let store: DiskStore

  init() throws {
    fixture = try Fixture()
    store = try fixture.store()
  }

  private func path(_ name: String) -> String { fixture.directory + "/" + name }

  private func read(_ source: ImageSource, limit: Int = 1 << 20) -> Result<String, DownloadError> {
    switch LocalReader(store: store, byteLimit: limit, source: source.displayText).read(source) {
    case .success(let response): .success(response.digest.hex)
    case .failure(let error): .failure(error)
    }
  }

  private func code(_ source: ImageSource, limit: Int = 1 << 20) -> String {
    if case .failure(let error) = read(source, limit: limit) { error.code.rawValue } else { "" }
  }

  @Test("a file is what its bytes are, by any of its names")
  func files() throws {
    let bytes = Data((0..<300_000).map { UInt8(truncatingIfNeeded: $0) })
    try bytes.write(to: URL(filePath: path("large")))
    try Data("x".utf8).write(to: URL(filePath: path("small")))
    #expect(symlink("large", path("link")) == 0)
    let digest = ContentDigest(hashing: bytes).hex
    for name in [
      "large", "link", "./large", "../" + (fixture.directory as NSString).lastPathComponent + "/large",
    ] {
      #expect(try read(.file(path(name))).get() == digest, "\(name)")
    }
    #expect(try read(.file(path("small"))).get() == ContentDigest(hashing: "x".utf8).hex)
    // What has changed is read anew, though it is as long as before.
    try Data(bytes.reversed()).write(to: URL(filePath: path("large")), options: .atomic)
    #expect(try read(.file(path("large"))).get() == ContentDigest(hashing: bytes.reversed()).hex)
  }

  @Test("what is no file with bytes in it says what it is, at once")
  func noFiles() throws {
    try Data().write(to: URL(filePath: path("empty")))
    #expect(mkfifo(path("fifo"), 0o600) == 0)
    #expect(mkdir(path("directory"), 0o700) == 0)
    #expect(symlink("nowhere", path("dangling")) == 0)
    #expect(symlink("circle", path("circle")) == 0)
    #expect(code(.file(path("empty"))) == "empty-body")
    for name in [
      "fifo", "directory", "dangling", "circle", "none", "empty/x", String(repeating: "n", count: 300),
    ] {
      #expect(code(.file(path(name))) == "file-unreadable", "\(name)")
    }
    for name in ["/dev/null", "/dev/zero", "/", "."] {
      #expect(code(.file(name)) == "file-unreadable", "\(name)")
    }
    let socketPath = path("socket")
    let socket = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(socket) }
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: Array(socketPath.utf8.prefix(107))) }
    let isBound = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(socket, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
      }
    }
    #expect(isBound)
    #expect(code(.file(socketPath)) == "file-unreadable")
  }

  @Test("a file that is longer than is taken is refused, and one that isn't is not")
  func limits() throws {
    try Data(repeating: 7, count: 1000).write(to: URL(filePath: path("file")))
    #expect(code(.file(path("file")), limit: 1000) == "")
    #expect(code(.file(path("file")), limit: 999) == DownloadError.tooLarge("", limit: 1).code.rawValue)
  }

  @Test("a pipe that the process has inherited is read to its end")
  func pipes() throws {
    var ends: [Int32] = [-1, -1]
    try #require(pipe(&ends) == 0)
    let bytes = Array("through a pipe".utf8)
    #expect(write(ends[1], bytes, bytes.count) == bytes.count)
    close(ends[1])
    defer { close(ends[0]) }
    #expect(try read(.file("/dev/fd/\(ends[0])")).get() == ContentDigest(hashing: bytes).hex)
    #expect(code(.file("/dev/fd/999999")) == "file-unreadable")
  }
}
