import Foundation
import ImageCaches
import LoopbackServer
import TestSupport
import Testing

/// A cache of outputs in a bucket. Each `CommandRun` has a cache and directories of its own, as a machine has.
@Suite("A remote cache in a bucket", .timeLimit(.minutes(8)))
struct RemoteObjectCacheTests {
  private let bucket: ObjectServer
  private static let jobs = 3

  init() throws { bucket = try ObjectServer() }

  private var environment: [String: String] {
    ObjectServer.environment.merging(["AWS_ENDPOINT_URL_S3": bucket.endpoint]) { $1 }
  }

  /// Runs the manifest on a machine, and returns the summary of its report.
  private func run(
    _ machine: CommandRun, _ options: String..., at address: String = "s3://outputs/images",
    environment: [String: String]? = nil
  ) async throws -> (outcome: CommandRun.Outcome, summary: [String: Any]) {
    var manifest = "imagemill: 1\njobs:\n"
    for number in 0..<Self.jobs {
      try machine.write(PNGImage.bytes(width: 60, height: 40, seed: number), to: "\(number).png")
      manifest += """
          - source: \(number).png
            outputs: [{filter: "fit:20x20", output: "\(number).png"}, {filter: circle, output: "\(number).webp"}]

        """
    }
    try machine.write(manifest, to: "m.yaml")
    let outcome = try await machine.run(
      arguments: ["run", "--remote-cache", address, "--report", "report.json", "-C", "out", "m.yaml"]
        + options,
      environment: environment ?? self.environment)
    let report =
      try JSONSerialization.jsonObject(with: machine.read("report.json") ?? Data()) as? [String: Any]
    return (outcome, try #require(report?["summary"] as? [String: Any], "\(outcome.errors)"))
  }

  private func outputs(_ machine: CommandRun) -> [String: Data] {
    var outputs: [String: Data] = [:]
    for name in machine.files where name.hasPrefix("out/") { outputs[name] = machine.read(name) }
    return outputs
  }

  private func warnings(_ outcome: CommandRun.Outcome) -> [String] {
    outcome.errors.split(separator: "\n").filter { $0.contains("warning") }.map(String.init)
  }

  /// A machine that has made all outputs and shared them.
  private func shared(at address: String = "s3://outputs/images") async throws -> CommandRun {
    let machine = try CommandRun()
    let (outcome, summary) = try await run(machine, at: address)
    #expect(outcome.status == 0 && warnings(outcome).isEmpty, "\(outcome.errors)")
    #expect(summary["renderings"] as? Int == 6 && summary["remoteUploads"] as? Int == 6)
    return machine
  }

  @Test(
    "a second machine renders nothing that the first has made, whatever the prefix",
    arguments: [
      ("s3://outputs", "/outputs/"), ("s3://outputs/", "/outputs/"), ("s3://outputs/a/b/", "/outputs/a/b/"),
      ("s3://outputs/a b+c=d/ü%41?#/../e", "/outputs/a b+c=d/ü%41?#/../e/"),
    ])
  func secondMachine(address: String, prefix: String) async throws {
    defer { bucket.stop() }
    let first = try await shared(at: address)
    let paths = bucket.objects.keys
    #expect(paths.count { $0.hasPrefix(prefix + "ac/") } == 6, "\(paths)")
    for (path, bytes) in bucket.objects where !path.hasPrefix(prefix + "ac/") {
      #expect(path == "\(prefix)cas/\(ContentDigest(hashing: bytes).hex)")
    }
    let puts = bucket.server.requests.filter { $0.method == "PUT" }
    #expect(puts.allSatisfy { $0.field("Content-Type") == "application/octet-stream" })
    let second = try CommandRun()
    let (outcome, summary) = try await run(second, at: address)
    #expect(outcome.status == 0 && warnings(outcome).isEmpty, "\(outcome.errors)")
    #expect(summary["renderings"] as? Int == 0 && summary["remoteHits"] as? Int == 6)
    #expect(outputs(second) == outputs(first) && outputs(first).count == 6)
    #expect(bucket.count("PUT") == puts.count, "what was found isn't uploaded again")
    // It is in this machine's cache now.
    let gets = bucket.count("GET")
    let (_, unchanged) = try await run(second, at: address)
    #expect(unchanged["outputsUnchanged"] as? Int == 6 && bucket.count("GET") == gets)
  }

  @Test("read uploads nothing")
  func readOnly() async throws {
    defer { bucket.stop() }
    let (outcome, summary) = try await run(try CommandRun(), "--remote-cache-mode", "read")
    #expect(outcome.status == 0 && warnings(outcome).isEmpty, "\(outcome.errors)")
    #expect(summary["renderings"] as? Int == 6 && bucket.count("PUT") == 0 && bucket.count("GET") == 6)
  }

  @Test(
    "a server that refuses, is full, stays busy or has no such bucket fails nothing, and is named once",
    arguments: [
      ("NoSuchBucket", 404, "there is no bucket 'outputs'"), ("AccessDenied", 403, "don't allow"),
      ("InvalidAccessKeyId", 403, "doesn't know the access key"), ("ExpiredToken", 400, "has expired"),
      ("", 507, "it is full"), ("PermanentRedirect", 301, "returned 301"),
    ])
  func refusals(code: String, status: Int, words: String) async throws {
    defer { bucket.stop() }
    bucket.inject { _ in code.isEmpty ? Page(status: status) : ObjectServer.error(code, status: status) }
    let machine = try CommandRun()
    let (outcome, summary) = try await run(machine)
    #expect(outcome.status == 0 && summary["renderings"] as? Int == 6, "\(outcome.errors)")
    #expect(outputs(machine).count == 6)
    // One for lookups and one for uploads.
    #expect((1...2).contains(warnings(outcome).count), "\(outcome.errors)")
    #expect(warnings(outcome).allSatisfy { $0.contains("the remote cache isn't") && $0.contains(words) })
    let secrets = bucket.server.requests.compactMap {
      $0.field("Authorization")?.split(separator: "Signature=").last.map(String.init)
    }
    for secret in secrets + ["wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY", "t0k3n/+="] {
      #expect(!(outcome.errors + outcome.text).contains(secret))
    }
  }

  @Test("a busy server is asked again, with another signature")
  func busy() async throws {
    defer { bucket.stop() }
    _ = try await shared()
    let seen = Shared<Set<String>>([])
    // The first request for each path.
    bucket.inject { request in
      seen.change { $0.insert(request.method + request.path).inserted }
        ? ObjectServer.error("SlowDown", status: 503) : nil
    }
    let (outcome, summary) = try await run(try CommandRun())
    #expect(outcome.status == 0 && warnings(outcome).isEmpty, "\(outcome.errors)")
    #expect(summary["remoteHits"] as? Int == 6 && summary["renderings"] as? Int == 0)
  }

  @Test("a server that never answers costs its time limit once")
  func silence() async throws {
    let gate = Gate()
    defer {
      gate.open()
      bucket.stop()
    }
    bucket.inject { _ in Page(gate: gate) }
    let (outcome, summary) = try await run(try CommandRun(), "--remote-timeout", "1s")
    #expect(outcome.status == 0 && summary["renderings"] as? Int == 6)
    #expect(warnings(outcome).count == 1, "\(outcome.errors)")
    #expect(bucket.server.requests.count <= 6)
  }

  @Test("a server that isn't there costs one warning")
  func gone() async throws {
    bucket.stop()
    let (outcome, summary) = try await run(try CommandRun())
    #expect(outcome.status == 0 && summary["renderings"] as? Int == 6)
    #expect(warnings(outcome).count == 1, "\(outcome.errors)")
  }

  @Test("wrong bytes and wrong records are never used", arguments: ["bytes", "cut", "record"])
  func lies(lie: String) async throws {
    defer { bucket.stop() }
    let first = try await shared()
    for path in bucket.objects.keys {
      switch lie {
      case "bytes" where path.contains("/cas/"): bucket.objects[path]?[20] ^= 1
      case "cut" where path.contains("/cas/"): bucket.objects[path]?.removeLast()
      case "record" where path.contains("/ac/"): bucket.objects[path] = Array("hello".utf8)
      default: break
      }
    }
    let machine = try CommandRun()
    let (outcome, summary) = try await run(machine)
    #expect(outcome.status == 0 && outputs(machine) == outputs(first), "\(outcome.errors)")
    #expect(summary["remoteHits"] as? Int == 0 && summary["renderings"] as? Int == 6)
    #expect((1...2).contains(warnings(outcome).count), "\(outcome.errors)")
  }

  @Test("a bucket that anyone may read needs no credentials, and requests to it aren't signed")
  func unsigned() async throws {
    defer { bucket.stop() }
    _ = try await shared()
    let requests = bucket.server.requests.count
    let objects = bucket.objects
    bucket.inject { request in Page(objects[request.path] ?? []) }
    let open = ["AWS_ENDPOINT_URL_S3": bucket.endpoint, "HOME": "/proc/none"]
    let (outcome, summary) = try await run(
      try CommandRun(), "--remote-cache-mode", "read", environment: open)
    #expect(outcome.status == 0 && summary["remoteHits"] as? Int == 6, "\(outcome.errors)")
    #expect(bucket.server.requests.dropFirst(requests).allSatisfy { $0.field("Authorization") == nil })
  }

  @Test(
    "outputs of objects that were read with credentials stay on the machine",
    arguments: ["source", "overlay"])
  func privateSources(kind: String) async throws {
    defer { bucket.stop() }
    bucket.put(PNGImage.bytes(width: 30, height: 20, seed: 1), at: "/photos/a.png")
    let machine = try CommandRun()
    try machine.write(PNGImage.bytes(width: 30, height: 20, seed: 2), to: "local.png")
    try machine.write(
      """
      imagemill: 1
      sources: {mark: "s3://photos/a.png"}
      jobs:
        - {source: "\(kind == "source" ? "s3://photos/a.png" : "local.png")", \
      filter: "\(kind == "source" ? "fit:9x9" : "overlay:mark")", output: b.png}
      """, to: "m.yaml")
    // The second time, the source is in the cache.
    for _ in 0..<2 {
      let outcome = try await machine.run(
        arguments: [
          "run", "--force", "--allow-net", "loopback", "--remote-cache", "s3://outputs", "-C", "out",
          "m.yaml",
        ], environment: environment)
      #expect(outcome.status == 0, "\(outcome.errors)")
    }
    #expect(bucket.requests(of: "/photos/a.png").isEmpty == false)
    #expect(bucket.count("PUT") == 0 && bucket.server.requests.allSatisfy { $0.path == "/photos/a.png" })
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
    defer { bucket.stop() }
    let machine = try CommandRun()
    try machine.write(PNGImage.bytes(width: 9, height: 9), to: "a.png")
    let outcome = try await machine.run(
      arguments: ["pipe", "--remote-cache", address, "-o", "b.webp", "a.png"],
      environment: environment.merging(changes) { $1 })
    #expect(outcome.status == 2 && outcome.errors.contains(words), "\(outcome.errors)")
    #expect(!outcome.errors.contains("hunter2") && machine.files == ["a.png"])
    #expect(bucket.server.requests.isEmpty)
  }
}
