import Foundation
import Glibc
import ImageCaches
import ImageDownloads
import LoopbackServer
import ObjectStorage
import SystemIO
import TestSupport
import Testing

@testable import ImageBatch
@testable import ImageRendering

/// How an output gets to an object, whole or in parts, whatever happens on the way.
@Suite("Uploads of outputs", .timeLimit(.minutes(8)))
struct ObjectUploadTests {
  private let store: DiskStore
  private let server: ObjectServer
  private let threads = BlockingThreadPool(label: "test", threads: 2)
  private static let address = ObjectAddress(bucket: "out", key: "a/b c+ü.bin")
  private static let path = "/out/a/b c+ü.bin"

  init() throws {
    store = try .ephemeral()
    server = try ObjectServer()
  }

  private func downloader(retries: Int = 3) throws -> ImageDownloader {
    let known = ObjectServer.environment
    var configuration = ImageDownloader.Configuration()
    _ = configuration.addressPolicy.allow("loopback")
    configuration.retryWait = .milliseconds(10)
    configuration.retries = retries
    configuration.objectStores = ObjectStores(
      try ObjectService(
        endpoint: server.endpoint, region: "eu-west-1",
        accessKey: AccessKey(
          id: known["AWS_ACCESS_KEY_ID"] ?? "", secret: known["AWS_SECRET_ACCESS_KEY"] ?? "",
          token: known["AWS_SESSION_TOKEN"])))
    return ImageDownloader(configuration: configuration, store: store)
  }

  private func places(
    _ downloader: ImageDownloader, policy: ReplacementPolicy = ReplacementPolicy()
  ) -> ObjectPlaces {
    var settings = ObjectPlaces.Settings()
    settings.longestUpload = 100
    settings.partLength = 64
    return ObjectPlaces(
      downloader: downloader, store: store, sources: SourceFiles(store: store, records: false),
      replacing: policy, settings: settings, began: SystemTime.now, threads: threads, warn: { _ in })
  }

  private func made(_ count: Int) throws -> EncodedOutput {
    let text = String((0..<count).map { Character(Unicode.Scalar(UInt8(97 + $0 % 26))) })
    return EncodedOutput(
      image: RenderedFile(
        format: .png, width: 1, height: 1, frames: 1, bytes: count, digest: ContentDigest(of: text)),
      object: try store.insert(text: text), isNew: true)
  }

  private var place: ObjectPlaces.Place {
    ObjectPlaces.Place(
      address: Self.address, prefix: ObjectAddress(bucket: "out", key: "a/"), output: ContentDigest(of: "key")
    )
  }

  private func bytes(_ output: EncodedOutput) throws -> [UInt8] { try File.contents(of: output.object.path) }

  @Test(
    "a long output is uploaded in parts, and is known by a listing and its metadata",
    arguments: [100, 101, 300])
  func parts(count: Int) async throws {
    let downloader = try downloader()
    let places = places(downloader)
    let output = try made(count)
    #expect(await places.put(output, at: place) == .success(.written))
    #expect(try server.objects[Self.path]?.body == bytes(output))
    #expect(server.objects[Self.path]?.fields["content-type"] == "image/png")
    #expect(server.uploads.isEmpty)
    #expect(server.count("PUT") == (count > 100 ? (count + 63) / 64 : 1))
    guard case .success(.inPlace) = await places.finding(at: place, known: nil) else {
      Issue.record("not found in place")
      return
    }
    await downloader.shutDown()
    server.stop()
  }

  @Test("a part that fails ends the upload, whose parts are removed")
  func failure() async throws {
    let downloader = try downloader(retries: 1)
    server.inject { request in
      request.target.contains("partNumber=2&") ? ObjectServer.error("InternalError", status: 500) : nil
    }
    let result = await places(downloader).put(try made(300), at: place)
    guard case .failure(let error) = result else {
      Issue.record("no failure")
      return
    }
    #expect(error.stage == .write && error.isTemporary && error.message.contains("s3://out/a/"))
    #expect(server.uploads.isEmpty && server.objects.isEmpty)
    await downloader.shutDown()
    server.stop()
  }

  @Test("four parts are sent at a time, and no more")
  func concurrency() async throws {
    let downloader = try downloader()
    let gate = Gate()
    let arrived = Shared(0)
    server.inject { request in
      guard request.target.contains("partNumber=") else { return nil }
      // Alone, a part would wait here for minutes.
      if arrived.change({
        $0 += 1; return $0
      }) < 4 {
        gate.wait()
      }
      return nil
    }
    let output = try made(1000)
    let task = Task { await places(downloader).put(output, at: place) }
    while arrived.change({ $0 }) < 4 { try await Task.sleep(for: .milliseconds(5)) }
    gate.open()
    #expect(await task.value == .success(.written))
    #expect(try server.objects[Self.path]?.body == bytes(output) && server.count("PUT") == 16)

    let closed = Gate()
    server.inject { $0.target.contains("partNumber=") ? Page(gate: closed) : nil }
    let second = Task { [output = try made(1001)] in await places(downloader).put(output, at: place) }
    while closed.arrivals < 4 { try await Task.sleep(for: .milliseconds(5)) }
    // A fifth part would come before a request that is made now.
    _ = await places(downloader).finding(at: place, known: nil)
    #expect(closed.arrivals == 4)
    second.cancel()
    _ = await second.value
    closed.open()
    await downloader.shutDown()
    server.stop()
  }

  @Test("after a failure no other part is sent, and those in flight are ended")
  func failureBesideOthers() async throws {
    let downloader = try downloader(retries: 0)
    let gate = Gate()
    let others = Shared<Set<String>>([])
    server.inject { request in
      guard request.target.contains("partNumber=") else { return nil }
      if request.target.contains("partNumber=3&") {
        while others.change({ $0.count }) < 3 { usleep(5000) }
        return ObjectServer.error("InternalError", status: 500)
      }
      others.change { $0.insert(request.target) }
      return Page(gate: gate)
    }
    guard case .failure(let error) = await places(downloader).put(try made(1000), at: place) else {
      Issue.record("no failure")
      return
    }
    #expect(
      error.message.contains("InternalError"), "not that of a part that was cancelled: \(error.message)")
    #expect(others.change { $0.count } == 3)
    #expect(server.uploads.isEmpty && server.objects.isEmpty)
    gate.open()
    await downloader.shutDown()
    server.stop()
  }

  @Test("a part that the server slows down is sent again, without the others")
  func busyPart() async throws {
    let downloader = try downloader()
    let refused = Shared<Set<String>>([])
    server.inject { request in
      guard request.target.contains("partNumber=") else { return nil }
      return refused.change { $0.insert(request.target).inserted }
        ? ObjectServer.error("SlowDown", status: 503) : nil
    }
    let output = try made(300)
    #expect(await places(downloader).put(output, at: place) == .success(.written))
    #expect(try server.objects[Self.path]?.body == bytes(output) && server.count("PUT") == 10)
    await downloader.shutDown()
    server.stop()
  }

  @Test("a cancelled upload removes its parts")
  func cancellation() async throws {
    let downloader = try downloader()
    let gate = Gate()
    server.inject { $0.target.contains("partNumber=2&") ? Page(gate: gate) : nil }
    let task = Task { [output = try made(300)] in await places(downloader).put(output, at: place) }
    while gate.arrivals < 1 { try await Task.sleep(for: .milliseconds(5)) }
    task.cancel()
    guard case .failure(let error) = await task.value else {
      Issue.record("no failure")
      return
    }
    #expect(error.code == .cancelled)
    #expect(server.uploads.isEmpty && server.objects.isEmpty)
    gate.open()
    await downloader.shutDown()
    server.stop()
  }

  @Test("an upload that another run has aborted begins again, once")
  func restart() async throws {
    let downloader = try downloader()
    let first = Shared(true)
    server.inject { [server] request in
      guard request.target.contains("partNumber=2&"),
        first.change({
          let was = $0; $0 = false; return was
        })
      else { return nil }
      server.uploads = [:]
      return nil
    }
    let output = try made(300)
    #expect(await places(downloader).put(output, at: place) == .success(.written))
    #expect(try server.objects[Self.path]?.body == bytes(output))
    server.inject { [server] request in
      if request.target.contains("partNumber=2&") { server.uploads = [:] }
      return nil
    }
    guard case .failure(let error) = await places(downloader).put(try made(301), at: place) else {
      Issue.record("no failure")
      return
    }
    #expect(error.isTemporary && error.message.contains("aborted"), "\(error.message)")
    await downloader.shutDown()
    server.stop()
  }

  @Test("the next run aborts the uploads of a killed one below its prefix, and no others")
  func killed() async throws {
    let downloader = try downloader()
    let now = Date().timeIntervalSince1970
    server.uploads = [
      "old": BegunUpload(path: "/out/a/x y.png", began: now - 60, fields: [:]),
      "elsewhere": BegunUpload(path: "/out/b/x.png", began: now - 60, fields: [:]),
      "younger": BegunUpload(path: "/out/a/z.png", began: now + 60, fields: [:]),
    ]
    let places = places(downloader)
    #expect(await places.put(try made(10), at: place) == .success(.written))
    #expect(Set(server.uploads.keys) == ["elsewhere", "younger"])
    #expect(await places.put(try made(11), at: place) == .success(.written))
    #expect(server.count("GET", having: "uploads=") == 1)
    await downloader.shutDown()
    server.stop()
  }

  @Test("an upload whose answer is lost is found to have succeeded")
  func lostAnswer() async throws {
    let downloader = try downloader()
    var policy = ReplacementPolicy()
    policy.keepsForeignFiles = true
    let output = try made(10)
    let lost = Shared(0)
    server.inject { [server, body = try bytes(output), place] request in
      guard request.method == "PUT",
        lost.change({
          $0 += 1; return $0
        }) == 1
      else { return nil }
      server.put(
        body, at: Self.path,
        fields: [
          "x-amz-meta-imagemill-key": place.output.hex,
          "x-amz-meta-imagemill-sha256": ContentDigest(hashing: body).hex,
        ])
      return Page(fault: .reset(after: -1))
    }
    #expect(await places(downloader, policy: policy).put(output, at: place) == .success(.written))
    await downloader.shutDown()
    server.stop()
  }

  @Test("uploads go on while downloads are held back")
  func heldBack() async throws {
    let downloader = try downloader()
    downloader.holdsNewTransfers = true
    #expect(await places(downloader).put(try made(10), at: place) == .success(.written))
    await downloader.shutDown()
    server.stop()
  }
}
