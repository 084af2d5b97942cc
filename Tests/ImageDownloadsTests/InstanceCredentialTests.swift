import Foundation
import LoopbackServer
import ObjectStorage
import TestSupport
import Testing
import WebValues

@testable import ImageDownloads

/// The servers that give a machine its credentials, which only this client may reach.
@Suite("Credentials of containers and instances", .timeLimit(.minutes(4)))
struct InstanceCredentialTests {
  private let server: MetadataServer
  private static let known = ObjectServer.environment

  init() throws { server = try MetadataServer() }

  private func endpoint(_ environment: [String: String] = [:]) throws -> CredentialEndpoint {
    let usual = ["AWS_EC2_METADATA_SERVICE_ENDPOINT": server.endpoint + "/"]
    return try CredentialEndpoint(environment: environment.isEmpty ? usual : environment)
  }

  private func credentials(
    _ environment: [String: String] = [:], timeout: Double = 60
  ) throws -> InstanceCredentials {
    let endpoint = try endpoint(environment)
    return InstanceCredentials(
      endpoint, fetch: CredentialFetch(endpoint: endpoint, timeout: timeout, waits: [0.01, 0.01]))
  }

  private func failure(_ credentials: InstanceCredentials) async -> CredentialFailure {
    do throws(CredentialFailure) {
      return CredentialFailure("a key: \(try await credentials.accessKey())")
    } catch {
      return error
    }
  }

  @Test("an instance's role: a token, its name and its key, once for all who wait")
  func instance() async throws {
    defer { server.stop() }
    let credentials = try credentials()
    #expect(credentials.lastAccessKey == nil && server.server.requests.isEmpty)
    let keys = try await withThrowingTaskGroup(of: AccessKey.self) { tasks in
      for _ in 0..<50 { tasks.addTask { try await credentials.accessKey() } }
      return try await tasks.reduce(into: [AccessKey]()) { $0.append($1) }
    }
    let known = Self.known
    let right = AccessKey(
      id: known["AWS_ACCESS_KEY_ID"] ?? "", secret: known["AWS_SECRET_ACCESS_KEY"] ?? "",
      token: known["AWS_SESSION_TOKEN"])
    #expect(keys == Array(repeating: right, count: 50))
    let requests = server.server.requests
    #expect(requests.map(\.method) == ["PUT", "GET", "GET"])
    #expect(requests.dropFirst().allSatisfy { $0.field("X-aws-ec2-metadata-token") == MetadataServer.token })
    #expect(!"\(credentials) \(right)".contains(right.secret))
  }

  @Test("a container's authorization comes from its variable, or from the file, which is read each time")
  func container() async throws {
    defer { server.stop() }
    let uri = ["AWS_CONTAINER_CREDENTIALS_FULL_URI": server.endpoint + "/credentials"]
    let named = try credentials(
      uri.merging(["AWS_CONTAINER_AUTHORIZATION_TOKEN": MetadataServer.authorization]) { $1 })
    #expect(try await named.accessKey().id == Self.known["AWS_ACCESS_KEY_ID"])

    let directory = try TestDirectory()
    let file = directory.path + "/token"
    let filed = try credentials(
      uri.merging([
        "AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE": file, "AWS_CONTAINER_AUTHORIZATION_TOKEN": "unused",
      ]) { $1 })
    let missing = await failure(filed)
    #expect(missing.isTemporary && missing.message.contains("AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE"))
    try (MetadataServer.authorization + "\n").write(toFile: file, atomically: true, encoding: .utf8)
    let later = try credentials(
      uri.merging(["AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE": file]) { $1 })
    #expect(try await later.accessKey().id == Self.known["AWS_ACCESS_KEY_ID"])
    try "a\nb".write(toFile: file, atomically: true, encoding: .utf8)
    let lines = await failure(
      try credentials(
        uri.merging(["AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE": file]) { $1 }))
    #expect(lines.message.contains("one line") && !lines.message.contains("a\nb"))

    let wrong = await failure(
      try credentials(uri.merging(["AWS_CONTAINER_AUTHORIZATION_TOKEN": "Bearer hunter2"]) { $1 }))
    #expect(!wrong.isTemporary && wrong.message.contains("refuses the authorization token (401)"))
    #expect(!wrong.message.contains("hunter2"))
  }

  @Test("expired credentials are replaced, by the server's clock")
  func expiry() async throws {
    defer { server.stop() }
    // Its clock is a day ahead, and so are the ends of the credentials. By this machine's they would live for a day.
    server.give(lifetime: 3, clock: 86400, renewsKey: true)
    let credentials = try credentials()
    let first = try await credentials.accessKey()
    #expect(try await credentials.accessKey() == first && server.fetches == 1)
    var later = first
    while later == first {
      try await Task.sleep(for: .milliseconds(50))
      later = try await credentials.accessKey()
    }
    #expect(server.fetches >= 2)
    // A clock that is a day behind makes no credentials expired.
    server.give(lifetime: 3600, clock: -86400)
    #expect(try await self.credentials().accessKey().id == Self.known["AWS_ACCESS_KEY_ID"])
    server.give(lifetime: -5)
    let expired = await failure(try self.credentials())
    #expect(expired.isTemporary && expired.message.contains("expired"), "\(expired.message)")
  }

  struct Refusal: Sendable, CustomTestStringConvertible {
    var target: String
    var page: Page
    var words: String
    var requests: Int
    var isTemporary = false
    var testDescription: String { words }
  }

  private static let role = "/latest/meta-data/iam/security-credentials/images%20role"
  static let answers = [
    // Version 1 is never used: there is no other request.
    Refusal(
      target: "/latest/api/token", page: Page(status: 404), words: "isn't version 2 (IMDSv2) (404)",
      requests: 1),
    Refusal(
      target: "/latest/api/token", page: Page(status: 405), words: "isn't version 2 (IMDSv2) (405)",
      requests: 1),
    Refusal(
      target: "/latest/api/token", page: Page(status: 403), words: "turned off (HttpEndpoint)", requests: 1),
    Refusal(target: "/latest/api/token", page: Page(text: "a\nb"), words: "no token", requests: 1),
    Refusal(
      target: "/latest/meta-data/iam/security-credentials/", page: Page(status: 404), words: "has no role",
      requests: 2),
    Refusal(
      target: "/latest/meta-data/iam/security-credentials/", page: Page(status: 503), words: "returned 503",
      requests: 4, isTemporary: true),
    Refusal(
      target: role, page: Page(text: #"{"Code": "AssumeRoleUnauthorizedAccess<&>", "Message": "hunter2"}"#),
      words: "'AssumeRoleUnauthorizedAccess'", requests: 3),
    Refusal(target: role, page: Page(text: "<html>hunter2</html>"), words: "other text", requests: 3),
    Refusal(
      target: role, page: Page(text: #"{"AccessKeyId": "A", "SecretAccessKey": "hunter2"}"#),
      words: "incomplete",
      requests: 3),
    Refusal(
      target: role,
      page: Page(
        text: #"{"AccessKeyId": "A", "SecretAccessKey": "hunter2", "Token": "t", "Expiration": "tomorrow"}"#),
      words: "invalid credentials", requests: 3),
    Refusal(
      target: role, page: Page(text: String(repeating: "x", count: 100_000)), words: "too much", requests: 3),
    // A redirect could lead anywhere.
    Refusal(target: role, page: .redirect(to: "http://127.0.0.1:1/"), words: "returned 302", requests: 3),
  ]

  @Test(
    "what the server says in place of credentials is told in words, without its text", arguments: answers)
  func refusal(refusal: Refusal) async throws {
    defer { server.stop() }
    server.inject { $0.target == refusal.target ? refusal.page : nil }
    let credentials = try credentials()
    let start = ContinuousClock.now
    let failure = await failure(credentials)
    #expect(
      failure.message.contains(refusal.words) && failure.isTemporary == refusal.isTemporary, "\(failure)")
    #expect(failure.message.contains(server.endpoint) && !failure.message.contains("hunter2"))
    #expect(server.server.requests.count == refusal.requests)
    // It stands for a while, which may be over on a busy machine.
    let again = await self.failure(credentials)
    if ContinuousClock.now - start < .seconds(5) {
      #expect(again == failure && server.server.requests.count == refusal.requests)
    }
  }

  @Test(
    "a server that doesn't answer costs its time limit, whoever waits; a call that is cancelled ends at once")
  func silence() async throws {
    let gate = Gate()
    defer {
      gate.open()
      server.stop()
    }
    server.inject { _ in Page(gate: gate) }
    let failure = await failure(try credentials(timeout: 1))
    #expect(failure.isTemporary && failure.message.contains("hop limit"), "\(failure.message)")
    #expect(server.server.requests.count == 3)
    let patient = try credentials(timeout: 200)
    let task = Task { await self.failure(patient) }
    while server.server.requests.count < 4 { try await Task.sleep(for: .milliseconds(5)) }
    task.cancel()
    #expect(await task.value.isCancelled)
  }

  @Test(
    "credentials are asked for over plain http only here and at AWS's addresses",
    arguments: [
      ("http://127.0.0.1:1234/x", true), ("http://[::1]/x", true), ("http://169.254.170.2/x", true),
      ("http://169.254.170.23/v1/credentials", true), ("http://[fd00:ec2::23]/v1/credentials", true),
      ("https://credentials.example.com/x", true), ("http://10.0.0.1/x", false),
      ("http://93.184.216.34/x", false),
      ("http://169.254.1.1/x", false), ("http://0xa9fe0101/x", false), ("http://[fd00:ec2::53]/x", false),
      ("http://user:hunter2@127.0.0.1/x", false), ("ftp://127.0.0.1/x", false), ("127.0.0.1/x", false),
    ])
  func addresses(url: String, isAllowed: Bool) throws {
    defer { server.stop() }
    for name in ["AWS_CONTAINER_CREDENTIALS_FULL_URI", "AWS_EC2_METADATA_SERVICE_ENDPOINT"] {
      do throws(ObjectStorageFailure) {
        _ = try CredentialEndpoint(environment: [name: url])
        #expect(isAllowed, "\(name)")
      } catch {
        #expect(!isAllowed && error.message.hasPrefix(name) && !error.message.contains("hunter2"), "\(error)")
      }
    }
  }

  @Test("a name is checked by the addresses that it has")
  func names() async throws {
    defer { server.stop() }
    let endpoint = try CredentialEndpoint(
      environment: ["AWS_CONTAINER_CREDENTIALS_FULL_URI": "http://metadata.example.com/x"])
    #expect(endpoint.allows(try #require(IPAddress("127.0.0.9"))))
    #expect(endpoint.allows(try #require(IPAddress("169.254.170.23"))))
    for text in ["10.0.0.1", "169.254.169.253", "2001:db8::1", "::ffff:10.0.0.1"] {
      #expect(!endpoint.allows(try #require(IPAddress(text))), "\(text)")
    }
    let port = try #require(server.endpoint.split(separator: ":").last)
    let local = try credentials([
      "AWS_CONTAINER_CREDENTIALS_FULL_URI": "http://localhost:\(port)/credentials",
      "AWS_CONTAINER_AUTHORIZATION_TOKEN": MetadataServer.authorization,
    ])
    #expect(try await local.accessKey().id == Self.known["AWS_ACCESS_KEY_ID"])
  }

  @Test("AWS's variables choose the server")
  func variables() throws {
    defer { server.stop() }
    func url(_ environment: [String: String]) throws -> String {
      try CredentialEndpoint(environment: environment).url.description
    }
    #expect(try url([:]) == "http://169.254.169.254/")
    #expect(try url(["AWS_EC2_METADATA_SERVICE_ENDPOINT_MODE": "IPv6"]) == "http://[fd00:ec2::254]/")
    #expect(
      try url(["AWS_CONTAINER_CREDENTIALS_RELATIVE_URI": "/v2/credentials/id?x=1"])
        == "http://169.254.170.2/v2/credentials/id?x=1")
    #expect(
      try url([
        "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI": "/a",
        "AWS_CONTAINER_CREDENTIALS_FULL_URI": "http://127.0.0.1/b",
      ]) == "http://169.254.170.2/a")
    let mistakes = [
      ["AWS_CONTAINER_CREDENTIALS_RELATIVE_URI": "@example.com/x"],
      ["AWS_CONTAINER_CREDENTIALS_RELATIVE_URI": ".example.com/x"],
      ["AWS_EC2_METADATA_SERVICE_ENDPOINT_MODE": "IPv5"], ["AWS_EC2_METADATA_DISABLED": "true"],
      [
        "AWS_CONTAINER_CREDENTIALS_FULL_URI": "http://127.0.0.1/b",
        "AWS_CONTAINER_AUTHORIZATION_TOKEN": "a\r\nX: y",
      ],
    ]
    for environment in mistakes {
      #expect(throws: ObjectStorageFailure.self, "\(environment)") { try url(environment) }
    }
  }
}
