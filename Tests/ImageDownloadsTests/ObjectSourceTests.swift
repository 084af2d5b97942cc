import ImageCaches
import ImageDownloads
import LoopbackServer
import ObjectStorage
import Synchronization
import TestSupport
import Testing
import WebValues

@Suite("Objects as sources", .timeLimit(.minutes(8)))
struct ObjectSourceTests {
  private let server: ObjectServer
  private let fixture: Fixture

  init() throws {
    server = try ObjectServer()
    fixture = try Fixture()
  }

  private static let key = AccessKey(
    id: "AKIDEXAMPLE", secret: "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY", token: "t0k3n/+=")

  private func configuration(_ key: AccessKey? = Self.key) throws -> ImageDownloader.Configuration {
    var configuration = Fixture.configuration
    configuration.objectStores = ObjectStores(
      try ObjectService(endpoint: server.endpoint, region: "eu-west-1", accessKey: key))
    return configuration
  }

  @Test(
    "any key is signed and found",
    arguments: [
      ("a.png", "/b/a.png"),
      ("a b+c=@'(1):&%41ü*~.png", "/b/a%20b%2Bc%3D%40%27%281%29%3A%26%2541%C3%BC%2A~.png"),
      ("x?y#z.png", "/b/x%3Fy%23z.png"), ("p//q/../r/./s.png", "/b/p//q/../r/./s.png"), ("/a", "/b//a"),
      (String(repeating: "k/", count: 500), "/b/" + String(repeating: "k/", count: 500)),
    ])
  func keys(key: String, path: String) async throws {
    defer { server.stop() }
    server.put(imageBytes(1), at: "/b/" + key)
    try await fixture.withDownloader(configuration()) { downloader in
      let source = try await downloader.outcome("s3://b/" + key).get()
      #expect(contents(source.path) == imageBytes(1))
      #expect(source.isPrivate)
    }
    #expect(server.server.requests.map(\.path) == [path])
  }

  @Test("keys that look alike are different objects")
  func normalization() async throws {
    defer { server.stop() }
    server.put(imageBytes(1), at: "/b/\u{FC}.png")
    let started = Gate()
    server.inject { request in
      if request.path.contains("u%CC%88") {
        return ObjectServer.page(imageBytes(2), request)
      }
      started.wait()
      return nil
    }
    try await fixture.withDownloader(configuration()) { downloader in
      async let first = downloader.outcome("s3://b/\u{FC}.png")
      async let second = downloader.outcome("s3://b/u\u{308}.png")
      let other = try await second.get()
      #expect(contents(other.path) == imageBytes(2))
      started.open()
      let one = try await first.get()
      #expect(contents(one.path) == imageBytes(1))
    }
  }

  @Test(
    "temporary errors are tried again, each time with a signature of its own",
    arguments: [
      ("SlowDown", 503), ("RequestTimeout", 400), ("InternalError", 500),
    ])
  func retries(code: String, status: Int) async throws {
    defer { server.stop() }
    server.put(imageBytes(1), at: "/b/a.png")
    let count = Mutex(0)
    server.inject { _ in
      let number = count.withLock { number in
        number += 1
        return number
      }
      return number <= 2 ? ObjectServer.error(code, status: status) : nil
    }
    try await fixture.withDownloader(configuration()) { downloader in
      let source = try await downloader.outcome("s3://b/a.png").get()
      #expect(source.byteCount == 300)
    }
    #expect(server.server.requests.count == 3)
    #expect(
      server.server.requests.allSatisfy { $0.field("Authorization")?.hasPrefix("AWS4-HMAC-SHA256 ") == true })
  }

  @Test(
    "a body that breaks off is resumed, and one that has changed is downloaded anew",
    arguments: [false, true])
  func resume(changes: Bool) async throws {
    defer { server.stop() }
    let bodies = [imageBytes(1, count: 400_000), imageBytes(2, count: 400_001)]
    let count = Mutex(0)
    server.inject { request in
      let number = count.withLock { number in
        number += 1
        return number
      }
      // Amazon S3 ignores If-Range: the entity tag has to tell.
      var page = ObjectServer.page(bodies[changes && number > 1 ? 1 : 0], request)
      if number == 1 { page.fault = .reset(after: 100_000) }
      return page
    }
    try await fixture.withDownloader(configuration()) { downloader in
      let source = try await downloader.outcome("s3://b/a.png").get()
      #expect(contents(source.path) == bodies[changes ? 1 : 0])
    }
    #expect(server.server.requests.dropFirst().first?.field("Range") != nil)
    #expect(server.server.requests.count == (changes ? 3 : 2))
  }

  @Test(
    "a refusal is told in words, isn't tried again and isn't stored",
    arguments: [
      ("ExpiredToken", 400, "the session token has expired"), ("AccessDenied", 403, "don't allow it"),
      ("NoSuchKey", 404, "no object with this key"), ("NoSuchBucket", 404, "no bucket 'b'"),
      ("RequestTimeTooSkewed", 403, "clock"),
    ])
  func refusals(code: String, status: Int, words: String) async throws {
    defer { server.stop() }
    server.put(imageBytes(1), at: "/b/a.png")
    server.inject { _ in ObjectServer.error(code, status: status) }
    try await fixture.withDownloader(configuration()) { downloader in
      let error = try #require(await downloader.outcome("s3://b/a.png").error)
      #expect(error.code == .httpStatus && error.status == status && !error.isTemporary)
      #expect(error.message.contains(words) && error.message.contains(code), "\(error.message)")
      #expect(error.source == "s3://b/a.png")
      server.inject { _ in nil }
      #expect(await downloader.outcome("s3://b/a.png").error == nil)
    }
    #expect(server.server.requests.count == 2)
  }

  @Test("a redirect isn't followed: the other server gets neither a request nor a token")
  func redirects() async throws {
    let other = try LoopbackServer { _ in Page(imageBytes(1), type: "image/png") }
    defer {
      other.stop()
      server.stop()
    }
    server.inject { _ in
      Page(
        status: 307, reason: "Temporary Redirect",
        fields: [("Location", other.url("/b/a.png")), ("x-amz-bucket-region", "ap-south-1")])
    }
    try await fixture.withDownloader(configuration()) { downloader in
      let error = try #require(await downloader.outcome("s3://b/a.png").error)
      #expect(error.message.contains("in the region 'ap-south-1'"), "\(error.message)")
    }
    #expect(other.requests.isEmpty)
  }

  @Test("the cache serves one access key, and not another")
  func caching() async throws {
    defer { server.stop() }
    server.inject { request in
      ObjectServer.page(
        imageBytes(request.field("Authorization")?.contains("=AKIDEXAMPLE/") == true ? 1 : 2), request)
    }
    try await fixture.withDownloader(configuration()) { downloader in
      let source = try await downloader.outcome("s3://b/a.png").get()
      #expect(source.disposition == .downloaded)
    }
    try await fixture.withDownloader(configuration()) { downloader in
      let source = try await downloader.outcome("s3://b/a.png").get()
      #expect(source.disposition == .revalidated)
    }
    let other = AccessKey(id: "AKIDOTHER", secret: "s")
    try await fixture.withDownloader(configuration(other)) { downloader in
      let source = try await downloader.outcome("s3://b/a.png").get()
      #expect(source.disposition == .downloaded && contents(source.path) == imageBytes(2))
    }
    let conditions = server.server.requests.map { $0.field("If-None-Match") != nil }
    #expect(conditions == [false, true, false])
  }

  @Test("fields for all sources are sent, but no other credential")
  func fields() async throws {
    defer { server.stop() }
    server.put(imageBytes(1), at: "/b/a.png")
    var configuration = try configuration()
    configuration.headers = [
      HeaderField("Authorization", "Bearer x"), HeaderField("x-amz-request-payer", "requester"),
    ]
    configuration.credential = OriginSettings.Credential(user: "me", password: "secret")
    configuration.netrc = Netrc(parsing: "machine 127.0.0.1 login a password b")
    try await fixture.withDownloader(configuration) { downloader in
      #expect(await downloader.outcome("s3://b/a.png").error == nil)
    }
    let request = try #require(server.server.requests.first)
    #expect(request.field("x-amz-request-payer") == "requester")
    #expect(request.field("Authorization")?.contains("x-amz-request-payer") == true)
  }

  @Test("without credentials, requests aren't signed, and a refusal says what is missing")
  func unsigned() async throws {
    defer { server.stop() }
    try await fixture.withDownloader(configuration(nil)) { downloader in
      let error = try #require(await downloader.outcome("s3://b/a.png").error)
      #expect(error.message.contains("credentials are needed, and none are set"), "\(error.message)")
    }
    #expect(server.server.requests.first?.field("Authorization") == nil)
  }

  @Test("the endpoint is subject to the address policy")
  func policy() async throws {
    defer { server.stop() }
    var configuration = try configuration()
    configuration.addressPolicy = AddressPolicy()
    try await fixture.withDownloader(configuration) { downloader in
      #expect(await downloader.outcome("s3://b/a.png").error?.code == .notAllowed)
      await #expect(throws: DownloadError.self) {
        try await downloader.objects(below: ObjectAddress(bucket: "b", key: ""))
      }
    }
    #expect(server.server.requests.isEmpty)
  }

  @Test("settings that are wrong fail the objects alone")
  func settings() async throws {
    let web = try LoopbackServer(pages: ["/a.png": page(1)])
    defer {
      web.stop()
      server.stop()
    }
    var configuration = Fixture.configuration
    try await fixture.withDownloader(configuration) { downloader in
      #expect(await downloader.outcome("s3://b/a.png").error?.message.contains("no settings") == true)
    }
    configuration.objectStores = ObjectStores(
      ObjectStorageSettings(environment: ["AWS_ACCESS_KEY_ID": "A"], endpoint: server.endpoint))
    try await fixture.withDownloader(configuration) { downloader in
      let error = try #require(await downloader.outcome("s3://b/a.png").error)
      #expect(error.code == .badSource && error.message.contains("AWS_SECRET_ACCESS_KEY isn't"))
      #expect(await downloader.outcome(web.url("/a.png")).error == nil)
    }
  }

  @Test(
    "an object's address has a name and directories, but no host",
    arguments: [
      ("s3://b/p/q/a.b.png", "a.b", ["p", "q"]), ("s3://b/p/../q/%41 ?.png", "%41 ?", ["q"]),
      ("s3://b/p/", "index", ["p"]),
    ])
  func names(text: String, name: String, directories: [String]) throws {
    defer { server.stop() }
    let source = try ImageSource(parsing: text)
    #expect(source == .url(text))
    #expect(source.fileName == name)
    #expect(source.directories == directories)
    #expect(source.host == nil && source.displayText == text)
  }

  @Test("a listing has pages, and is tried again")
  func listing() async throws {
    defer { server.stop() }
    for number in 0..<25 { server.put(imageBytes(1), at: "/b/p/a b+\(number + 10).png") }
    server.put(imageBytes(1), at: "/b/other.png")
    server.list(perPage: 10)
    let count = Mutex(0)
    server.inject { _ in
      let isFirst = count.withLock { count in
        count += 1
        return count == 1
      }
      return isFirst ? ObjectServer.error("SlowDown", status: 503) : nil
    }
    try await fixture.withDownloader(configuration()) { downloader in
      var keys: [String] = []
      var continuation: String?
      repeat {
        let page = try await downloader.objects(
          below: ObjectAddress(bucket: "b", key: "p/"), continuation: continuation)
        keys += page.objects.map(\.key)
        continuation = page.continuation
      } while continuation != nil
      #expect(keys == (10..<35).map { "p/a b+\($0).png" })
    }
    #expect(server.server.requests.count == 4)
  }

  @Test("a listing that is refused is told in words")
  func refusedListing() async throws {
    defer { server.stop() }
    server.inject { _ in ObjectServer.error("NoSuchBucket", status: 404) }
    let error = try await fixture.withDownloader(configuration()) { downloader in
      do throws(DownloadError) {
        _ = try await downloader.objects(below: ObjectAddress(bucket: "b", key: ""))
        return DownloadError?.none
      } catch {
        return error
      }
    }
    #expect(error?.message.contains("no bucket 'b'") == true)
  }
}
