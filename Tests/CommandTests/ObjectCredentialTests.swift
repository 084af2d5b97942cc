import Foundation
import LoopbackServer
import TestSupport
import Testing

/// `--s3-credentials instance`, through the built command.
@Suite("Credentials of the instance", .timeLimit(.minutes(8)))
struct ObjectCredentialTests {
  private let command: CommandRun
  private let server: ObjectServer
  private let metadata: MetadataServer

  init() throws {
    command = try CommandRun()
    server = try ObjectServer()
    metadata = try MetadataServer()
    for number in 0..<30 {
      server.put(PNGImage.bytes(width: 8, height: 6, seed: number), at: "/in/\(number).png")
    }
  }

  private var environment: [String: String] {
    [
      "AWS_EC2_METADATA_SERVICE_ENDPOINT": metadata.endpoint, "AWS_ENDPOINT_URL_S3": server.endpoint,
      "AWS_REGION": "eu-west-1", "IMAGEMILL_ALLOW_NET": "loopback", "IMAGEMILL_RETRY_WAIT": "20ms",
      "HOME": "/proc/none",
    ]
  }

  private func stop() {
    server.stop()
    metadata.stop()
  }

  private func run(_ arguments: String..., changes: [String: String] = [:]) async throws -> CommandRun.Outcome
  {
    try await command.run(arguments: arguments, environment: environment.merging(changes) { $1 })
  }

  private var sources: [String] { (0..<30).map { "s3://in/\($0).png" } }

  @Test("sources, outputs and the remote cache are signed with one set of credentials")
  func everywhere() async throws {
    defer { stop() }
    try command.write(PNGImage.bytes(width: 9, height: 9), to: "local.png")
    let outcome = try await command.run(
      arguments: [
        "pipe", "--s3-credentials", "instance", "--remote-cache", "s3://cache/x", "-f", "limit:4x", "-o",
        "s3://out/{name}.webp", "--verbose", "local.png",
      ] + sources, environment: environment)
    #expect(outcome.status == 0 && outcome.warnings.isEmpty, "\(outcome.errors)")
    #expect(server.objects.keys.count { $0.hasPrefix("/out/") } == 31)
    #expect(server.objects.keys.contains { $0.hasPrefix("/cache/x/ac/") })
    #expect(server.server.requests.allSatisfy { $0.field("Authorization") != nil })
    #expect(metadata.server.requests.map(\.method) == ["PUT", "GET", "GET"])
    #expect(!outcome.tellsSecrets && !(outcome.errors + outcome.text).contains(MetadataServer.token))
    let cache = command.directory + "/cache"
    let secrets = [
      ObjectServer.environment["AWS_SECRET_ACCESS_KEY"], ObjectServer.environment["AWS_SESSION_TOKEN"],
      MetadataServer.token,
    ]
    for name in try FileManager.default.subpathsOfDirectory(atPath: cache) {
      let bytes = FileManager.default.contents(atPath: "\(cache)/\(name)") ?? Data()
      for secret in secrets { #expect(bytes.range(of: Data(try #require(secret).utf8)) == nil, "\(name)") }
    }
    // Renewed credentials are those of the same instance: what was downloaded with others is still used.
    let gets = server.count("GET", having: "/in/")
    metadata.give(lifetime: 3600)
    let again = try await command.run(
      arguments: ["fetch", "--offline", "-o", "out", "--s3-credentials", "instance", "s3://in/0.png"],
      environment: environment)
    #expect(again.status == 0 && server.count("GET", having: "/in/") == gets, "\(again.errors)")
  }

  @Test("nobody asks for them without the option, and with it the environment's are not used")
  func onlyWhereAsked() async throws {
    defer { stop() }
    let without = try await run("inspect", "s3://in/0.png")
    #expect(without.status == 1 && without.errors.contains("credentials are needed"), "\(without.errors)")
    #expect(metadata.server.requests.isEmpty)
    let wrong = ["AWS_ACCESS_KEY_ID": "AKIDWRONG", "AWS_SECRET_ACCESS_KEY": "wrong"]
    let with = try await run("fetch", "-o", "out", "s3://in/0.png", changes: wrong)
    #expect(with.status == 1 && metadata.server.requests.isEmpty)
    let set = try await run(
      "fetch", "-o", "out", "s3://in/0.png",
      changes: wrong.merging(["IMAGEMILL_S3_CREDENTIALS": "instance"]) { $1 })
    #expect(set.status == 0 && metadata.fetches == 1, "\(set.errors)")
    // A run without objects doesn't ask.
    try command.write(PNGImage.bytes(width: 9, height: 9), to: "local.png")
    let local = try await run("convert", "--s3-credentials", "instance", "local.png", "local.webp")
    #expect(local.status == 0 && metadata.fetches == 1, "\(local.errors)")
  }

  @Test("the option opens these addresses for no source")
  func addressPolicy() async throws {
    defer { stop() }
    for url in [
      metadata.endpoint + "/latest/api/token", "http://169.254.169.254/x", "http://[fd00:ec2::254]/x",
    ] {
      let list = "\(url)\n"
      let outcome = try await command.run(
        arguments: ["pipe", "--s3-credentials", "instance", "-o", "{index}.webp"], input: Data(list.utf8),
        environment: environment.merging(["IMAGEMILL_ALLOW_NET": "private"]) { $1 })
      #expect(outcome.status == 1 && outcome.errors.contains("allows it"), "\(outcome.errors)")
    }
    #expect(metadata.server.requests.isEmpty)
  }

  @Test("credentials that a server calls expired are replaced, and the request is sent again")
  func expired() async throws {
    defer { stop() }
    let turn = Shared(0)
    server.inject { _ in
      turn.change {
        $0 += 1; return $0
      } == 1 ? ObjectServer.error("ExpiredToken", status: 400) : nil
    }
    let outcome = try await run(
      "pipe", "--s3-credentials", "instance", "-o", "s3://out/{name}.webp", "s3://in/0.png")
    #expect(outcome.status == 0 && metadata.fetches == 2, "\(outcome.errors)")
    // Without the option there are no others.
    turn.change { $0 = 0 }
    let fixed = try await command.run(
      arguments: ["inspect", "s3://in/1.png"],
      environment: environment.merging(ObjectServer.environment) { $1 })
    #expect(fixed.status == 1 && fixed.errors.contains("the session token has expired"), "\(fixed.errors)")
    #expect(turn.value == 1)
  }

  @Test("without credentials each source fails with the reason, and the server is asked once")
  func none() async throws {
    defer { stop() }
    metadata.inject { _ in Page(status: 404) }
    let outcome = try await command.run(
      arguments: ["pipe", "--s3-credentials", "instance", "-o", "{name}.webp"] + sources,
      environment: environment)
    #expect(outcome.status == 1 && outcome.errors.contains("can't get the instance's credentials from"))
    #expect(outcome.errors.contains("IMDSv2"), "\(outcome.errors)")
    #expect(server.server.requests.isEmpty && metadata.server.requests.count <= 3)
    try command.write("imagemill: 1\njobs: [{source: a.png, output: b.png}]\n", to: "m.yaml")
    let cache = try await run(
      "run", "--s3-credentials", "instance", "--remote-cache", "s3://cache", "m.yaml",
      changes: ["AWS_EC2_METADATA_DISABLED": "true"])
    #expect(cache.status == 2 && cache.errors.contains("AWS_EC2_METADATA_DISABLED"), "\(cache.errors)")
  }
}
