import Foundation
import ImageCaches
import LoopbackServer
import TestSupport
import Testing

/// A cache of outputs in a bucket. Each `CommandRun` has a cache and directories of its own, as a machine has.
@Suite("A remote cache in a bucket", .timeLimit(.minutes(8)))
struct RemoteObjectCacheTests {
  private let bucket: RemoteBucket
  private var server: ObjectServer { bucket.server }

  init() throws { bucket = try RemoteBucket() }

  @Test(
    "a second machine renders nothing that the first has made, whatever the prefix",
    arguments: [
      ("s3://outputs", "/outputs/"), ("s3://outputs/", "/outputs/"), ("s3://outputs/a/b/", "/outputs/a/b/"),
      ("s3://outputs/a b+c=d/ü%41?#/../e", "/outputs/a b+c=d/ü%41?#/../e/"),
    ])
  func secondMachine(address: String, prefix: String) async throws {
    defer { server.stop() }
    let first = try await bucket.shared(at: address)
    let paths = server.objects.keys
    #expect(paths.count { $0.hasPrefix(prefix + "ac/") } == 6, "\(paths)")
    for (path, object) in server.objects where !path.hasPrefix(prefix + "ac/") {
      #expect(path == "\(prefix)cas/\(ContentDigest(hashing: object.body).hex)")
    }
    let puts = server.server.requests.filter { $0.method == "PUT" }
    #expect(puts.allSatisfy { $0.field("Content-Type") == "application/octet-stream" })
    // The server has compared it with the body.
    #expect(puts.allSatisfy { $0.field("x-amz-checksum-sha256") != nil })
    let second = try CommandRun()
    let (outcome, summary) = try await bucket.run(second, at: address)
    #expect(outcome.status == 0 && outcome.warnings.isEmpty, "\(outcome.errors)")
    #expect(summary["renderings"] as? Int == 0 && summary["remoteHits"] as? Int == 6)
    #expect(second.made == first.made && first.made.count == 6)
    #expect(server.count("PUT") == puts.count, "what was found isn't uploaded again")
    // It is in this machine's cache now.
    let gets = server.count("GET")
    let (_, unchanged) = try await bucket.run(second, at: address)
    #expect(unchanged["outputsUnchanged"] as? Int == 6 && server.count("GET") == gets)
  }

  @Test("read uploads nothing")
  func readOnly() async throws {
    defer { server.stop() }
    let (outcome, summary) = try await bucket.run(try CommandRun(), "--remote-cache-mode", "read")
    #expect(outcome.status == 0 && outcome.warnings.isEmpty, "\(outcome.errors)")
    #expect(summary["renderings"] as? Int == 6 && server.count("PUT") == 0 && server.count("GET") == 6)
  }

  @Test("a bucket that anyone may read needs no credentials, and requests to it aren't signed")
  func unsigned() async throws {
    defer { server.stop() }
    _ = try await bucket.shared()
    let requests = server.server.requests.count
    let objects = server.objects.mapValues(\.body)
    server.inject { request in Page(objects[request.path] ?? []) }
    let open = ["AWS_ENDPOINT_URL_S3": server.endpoint, "HOME": "/proc/none"]
    let (outcome, summary) = try await bucket.run(
      try CommandRun(), "--remote-cache-mode", "read", environment: open)
    #expect(outcome.status == 0 && summary["remoteHits"] as? Int == 6, "\(outcome.errors)")
    #expect(server.server.requests.dropFirst(requests).allSatisfy { $0.field("Authorization") == nil })
  }

  @Test(
    "wrong settings are named before anything starts",
    arguments: [
      ("s3://", [:], "has no bucket"), ("s3://a:b/c", [:], "letters, digits"),
      ("s3://outputs/" + String(repeating: "k", count: 1000), [:], "too many for the keys below it"),
      ("s3://outputs", ["AWS_ACCESS_KEY_ID": ""], "use --remote-cache-mode read"),
      ("s3://outputs", ["AWS_SECRET_ACCESS_KEY": ""], "AWS_SECRET_ACCESS_KEY isn't"),
      ("s3://outputs", ["AWS_ENDPOINT_URL_S3": "127.0.0.1:9000"], "must be an http or https URL"),
      ("s3://outputs", ["IMAGEMILL_REMOTE_CACHE_HEADER": "Authorization: hunter2"], "leave out the header"),
    ] as [(String, [String: String], String)])
  func mistakes(address: String, changes: [String: String], words: String) async throws {
    defer { server.stop() }
    let machine = try CommandRun()
    try machine.write(PNGImage.bytes(width: 9, height: 9), to: "a.png")
    let outcome = try await machine.run(
      arguments: ["pipe", "--remote-cache", address, "-o", "b.webp", "a.png"],
      environment: bucket.environment.merging(changes) { $1 })
    #expect(outcome.status == 2 && outcome.errors.contains(words), "\(outcome.errors)")
    #expect(!outcome.errors.contains("hunter2") && machine.files == ["a.png"])
    #expect(server.server.requests.isEmpty)
  }

  @Test("credentials, region, endpoint and addressing come from where those of sources come from")
  func settings() async throws {
    defer { server.stop() }
    let port = try #require(server.endpoint.split(separator: ":").last)
    let key = ObjectServer.environment
    for renderings in [6, 0] {
      let machine = try CommandRun()
      try FileManager.default.createDirectory(
        atPath: machine.directory + "/home/.aws", withIntermediateDirectories: true)
      try """
      [ci]
      aws_access_key_id = \(key["AWS_ACCESS_KEY_ID"] ?? "")
      aws_secret_access_key = \(key["AWS_SECRET_ACCESS_KEY"] ?? "")
      aws_session_token = \(key["AWS_SESSION_TOKEN"] ?? "")
      region = eu-west-1
      """.write(toFile: machine.directory + "/home/.aws/credentials", atomically: true, encoding: .utf8)
      let (outcome, summary) = try await bucket.run(
        machine, "--s3-endpoint", "http://localhost:\(port)", "--s3-addressing", "virtual", "--verbose",
        environment: [
          "HOME": machine.directory + "/home", "AWS_PROFILE": "ci",
          "IMAGEMILL_REMOTE_CACHE_HEADER": "x-amz-server-side-encryption: AES256",
        ])
      #expect(outcome.status == 0 && outcome.warnings.isEmpty, "\(outcome.errors)")
      #expect(summary["renderings"] as? Int == renderings && summary["remoteUploads"] as? Int == renderings)
      #expect(!outcome.tellsSecrets)
      let cache = machine.directory + "/cache"
      for name in try FileManager.default.subpathsOfDirectory(atPath: cache) {
        let bytes = FileManager.default.contents(atPath: "\(cache)/\(name)") ?? Data()
        for secret in [key["AWS_SECRET_ACCESS_KEY"], key["AWS_SESSION_TOKEN"]] {
          #expect(bytes.range(of: Data(try #require(secret).utf8)) == nil, "\(name)")
        }
      }
    }
    let requests = server.server.requests
    #expect(requests.allSatisfy { $0.field("Host") == "outputs.localhost:\(port)" })
    #expect(requests.allSatisfy { $0.path.hasPrefix("/images/ac/") || $0.path.hasPrefix("/images/cas/") })
    // S3 refuses GET requests with the field.
    #expect(
      requests.allSatisfy { ($0.field("x-amz-server-side-encryption") == "AES256") == ($0.method == "PUT") })
    #expect(server.count("PUT") == 12 && server.count("GET") == 6 + 12)
  }
}
