import Foundation
import Glibc
import ImageCaches
import ImageFilters
import SystemIO
import TestSupport
import Testing
import Vips

@testable import ImageRendering

/// What a parent takes out of the directory of a worker that was taken over, and what it puts in.
@Suite("The directory of a worker", .timeLimit(.minutes(8)))
struct WorkerDirectoryTests {
  private let fixture: WorkerFixture
  private let store: TestDirectory

  init() throws {
    fixture = try WorkerFixture()
    store = try TestDirectory("moves")
  }

  /// A request whose outputs are in a directory of their own.
  private func request(_ outputs: Int = 1) throws -> RenderRequest {
    var request = try fixture.request("one", outputs: outputs)
    for index in 0..<outputs { request.recipes[index].temporaryPath = store["\(index).png"] }
    return request
  }

  /// What a worker answers about outputs of 3 bytes.
  private func answer(_ request: RenderRequest, _ bytes: [UInt8] = [1, 2, 3]) -> RenderResponse {
    let file = RenderedFile(
      format: .png, width: 1, height: 1, frames: 1, bytes: bytes.count,
      digest: ContentDigest(hashing: bytes), quality: nil, placeholders: nil)
    return RenderResponse(
      outputs: request.recipes.map { RenderedOutput(id: $0.id, result: .success(file)) }, warnings: [],
      counts: RenderCounts())
  }

  private func write(_ bytes: [UInt8], to path: String) throws {
    try Data(bytes).write(to: URL(filePath: path))
  }

  @Test("moves nothing but regular files")
  func kinds() throws {
    let request = try request(3)
    let own = try WorkerDirectory(for: request)
    let sent = own.prepare(request)
    // A worker that has no rules can do that.
    #expect(symlink("/etc/passwd", sent.request.recipes[0].temporaryPath) == 0)
    #expect(mkdir(sent.request.recipes[1].temporaryPath, 0o700) == 0)
    #expect(mkfifo(sent.request.recipes[2].temporaryPath, 0o600) == 0)
    let landed = own.land(answer(request), of: sent, for: request)
    #expect(landed.errors.map(\.stage) == [.write, .write, .write])
    #expect(store.names == store.names.filter { $0.hasPrefix("worker-") })
  }

  @Test("moves nothing that isn't what the worker told", arguments: [[1, 2, 4], [1, 2], []] as [[UInt8]])
  func digests(bytes: [UInt8]) throws {
    let request = try request()
    let own = try WorkerDirectory(for: request)
    let sent = own.prepare(request)
    try write(bytes, to: sent.request.recipes[0].temporaryPath)
    let landed = own.land(answer(request), of: sent, for: request)
    #expect(landed.codes == ["write-failed"])
    #expect(access(request.recipes[0].temporaryPath, F_OK) != 0)
  }

  @Test("what is moved can't be changed by another name, an open file or a mode")
  func laterWrites() throws {
    let request = try request(3)
    let own = try WorkerDirectory(for: request)
    let sent = own.prepare(request)
    let paths = sent.request.recipes.map(\.temporaryPath)
    for path in paths { try write([1, 2, 3], to: path) }
    let second = paths[0] + "-second"
    #expect(link(paths[0], second) == 0)
    let descriptor = open(paths[1], O_WRONLY)
    defer { close(descriptor) }
    #expect(chmod(paths[2], 0o6777) == 0)
    #expect(own.land(answer(request), of: sent, for: request).errors == [])
    try? write([9, 9, 9], to: second)
    #expect(pwrite(descriptor, [9, 9, 9], 3, 0) == 3)
    for recipe in request.recipes {
      #expect(try Data(contentsOf: URL(filePath: recipe.temporaryPath)) == Data([1, 2, 3]))
      var status = stat()
      #expect(stat(recipe.temporaryPath, &status) == 0 && status.st_mode & 0o7133 == 0)
    }
  }

  @Test("files whose names aren't text go too")
  func names() throws {
    let request = try request()
    var own: WorkerDirectory? = try WorkerDirectory(for: request)
    let sent = try #require(own?.prepare(request))
    let directory = DirectoryEntry(sent.request.recipes[0].temporaryPath).directory
    let name = Array(directory.utf8CString).dropLast() + [0x2f, -1, -2, 0]
    let descriptor = open(Array(name), O_CREAT | O_WRONLY, 0o600)
    #expect(descriptor >= 0)
    close(descriptor)
    // The output is missing.
    #expect(own?.land(answer(request), of: sent, for: request).errors.count == 1)
    #expect(try Directory.entries(of: directory).isEmpty)
    close(open(Array(name), O_CREAT | O_WRONLY, 0o600))
    own = nil
    #expect(store.names == [])
  }

  @Test("a link that was left isn't written through")
  func leftLink() throws {
    let stored = try store.write([1, 2, 3], to: "stored.v")
    var request = try request()
    request.renditions.stored[ContentDigest(of: "a")] = stored
    let own = try WorkerDirectory(for: request)
    // Not released.
    _ = own.prepare(request)
    let other = try store.write([4, 5], to: "other.v")
    request.renditions.stored = [ContentDigest(of: "b"): other]
    let sent = own.prepare(request)
    let link = try #require(sent.request.renditions.stored.values.first)
    #expect(try Data(contentsOf: URL(filePath: link)) == Data([4, 5]))
    #expect(try Data(contentsOf: URL(filePath: stored)) == Data([1, 2, 3]))
    own.release(sent)
    #expect(access(link, F_OK) != 0 && access(other, F_OK) == 0)
  }

  @Test("a color profile that has changed is copied again, and one that hasn't isn't")
  func profiles() throws {
    let names = ["p3", "srgb"]
    let bytes = try names.map { try VipsOperation("profile_load", ["name": .string($0)]).bytes("profile") }
    let profile = try store.write(bytes[0], to: "p.icc")
    var settings = EncodingSettings()
    settings.profile = profile
    let encoding = try Encoding(resolving: settings, pathExtension: "png")
    var request = try request()
    request.recipes = [
      RenderRecipe(id: 0, chain: FilterChain(), encoding: encoding, temporaryPath: store["0.png"])
    ]
    let named = request
    func copy(_ own: WorkerDirectory) -> String? {
      guard case .copy(let copy)? = own.prepare(named).request.files[profile] else { return nil }
      return copy
    }
    let own = try WorkerDirectory(for: named)
    let first = try #require(copy(own))
    #expect(copy(own) == first)
    try FileManager.default.removeItem(atPath: profile)
    #expect(copy(own) == nil)
    try store.write(bytes[1], to: "p.icc")
    let second = try #require(copy(own))
    #expect(second != first)
    #expect(try Data(contentsOf: URL(filePath: second)) == Data(bytes[1]))
  }

  @Test("only a regular file is sent")
  func sources() throws {
    for path in [store.path, store["none"], "/dev/null"] {
      var request = try request()
      request.source = .path(path)
      guard case .unopened = try WorkerDirectory(for: request).prepare(request).request.source else {
        Issue.record("\(path) was sent")
        continue
      }
    }
  }

  @Test("a worker whose directory was removed is replaced", .enabled(if: WorkerSandbox.isComplete))
  func removed() async throws {
    let pool = fixture.pool()
    let request = try request()
    #expect(try #require(await pool.render { request }).errors == [])
    for name in store.names where name.hasPrefix("worker-") && !name.contains("/") {
      try Directory.removeTree(store[name])
    }
    #expect(try #require(await pool.render { request }).errors == [])
    #expect(await pool.workersStarted == 2)
    await pool.stop()
    #expect(store.names == ["0.png"])
  }
}
