import Foundation
import LoopbackServer
import Testing

/// Objects as sources, through the built command.
@Suite("Object storage", .timeLimit(.minutes(8)))
struct ObjectStorageTests {
  private let command: CommandRun
  private let server: ObjectServer
  private let picture = PNGImage.bytes(width: 8, height: 6)

  init() throws {
    command = try CommandRun()
    server = try ObjectServer()
    for key in ["a.png", "p/b c+d.png", "p/ü%41.png", "p//e.png", "p/../f.png"] {
      server.put(picture, at: "/photos/" + key)
    }
  }

  private var environment: [String: String] {
    ObjectServer.environment.merging([
      "AWS_ENDPOINT_URL_S3": server.endpoint, "IMAGEMILL_ALLOW_NET": "loopback",
    ]) { $1 }
  }

  private func run(
    _ arguments: String..., input: String = "", environment: [String: String]? = nil
  ) async throws -> CommandRun.Outcome {
    try await command.run(
      arguments: arguments, input: Data(input.utf8), environment: environment ?? self.environment)
  }

  @Test("ls lists sources that pipe takes")
  func pipe() async throws {
    defer { server.stop() }
    server.list(perPage: 2)
    server.put([], at: "/photos/p/")
    let listed = try await run("ls", "s3://photos/p/")
    #expect(listed.status == 0, "\(listed.errors)")
    let sources = [
      "s3://photos/p/../f.png", "s3://photos/p//e.png", "s3://photos/p/b c+d.png", "s3://photos/p/ü%41.png",
    ]
    #expect(listed.lines.sorted() == sources.sorted())
    let piped = try await run(
      "pipe", "-q", "-C", "out", "-o", "{name}.webp", input: listed.text)
    #expect(piped.status == 0, "\(piped.errors)")
    #expect(Set(piped.lines) == ["out/f.webp", "out/e.webp", "out/b c+d.webp", "out/ü%41.webp"])
    let records = try await run("ls", "--json", "s3://photos/p/")
    let again = try await run(
      "pipe", "-q", "--input", "ndjson", "-C", "again", "-o", "{name}.webp", input: records.text)
    #expect(again.status == 0, "\(again.errors)")
    #expect(again.lines.count == 4)
  }

  @Test("ls takes prefixes from the lines of standard input, in the place of '-'")
  func prefixes() async throws {
    defer { server.stop() }
    server.list(perPage: 9)
    let named = try await run("ls", "s3://photos/p/")
    #expect(named.status == 0 && !named.lines.isEmpty, "\(named.errors)")
    for (arguments, input) in [([], "\ns3://photos/p/\r\n"), (["-"], "s3://photos/p/")] {
      let listed = try await command.run(
        arguments: ["ls"] + arguments, input: Data(input.utf8), environment: environment)
      #expect(listed.status == 0 && listed.text == named.text, "\(listed.errors)")
    }
    let both = try await run("ls", "s3://photos/p/", "-", input: "s3://photos/p/\n")
    #expect(both.text == named.text + named.text, "\(both.errors)")
    let none = try await run("ls")
    #expect(none.status == 0 && none.text.isEmpty && none.errors.isEmpty)
    let wrong = try await run("ls", input: "s3://photos\nphotos\n")
    #expect(wrong.status == 2 && wrong.errors.contains("'photos' can't be listed"), "\(wrong.errors)")
  }

  @Test("an object is a source of every command and of an overlay")
  func commands() async throws {
    defer { server.stop() }
    try command.write(
      """
      imagemill: 1
      sources: {mark: "s3://photos/p/b c+d.png"}
      jobs:
        - {source: "s3://photos/a.png", filter: "overlay:mark", output: "{dir}/{name}.webp"}
        - {source: ["s3://photos/none.png", "s3://photos/p/ü%41.png"], output: second.webp}
      """, to: "m.yaml")
    let ran = try await run("run", "m.yaml")
    #expect(ran.status == 0, "\(ran.errors)")
    #expect(Set(command.files).isSuperset(of: ["a.webp", "second.webp"]))
    try command.write("source,width\ns3://photos/a.png,4\n", to: "t.csv")
    let table = try await run("run", "-f", "limit:{width}x", "-o", "t-{width}.webp", "t.csv")
    #expect(table.status == 0, "\(table.errors)")
    let converted = try await run("convert", "s3://photos/p/../f.png", "f.webp")
    #expect(converted.status == 0, "\(converted.errors)")
    let inspected = try await run("inspect", "--json", "s3://photos/a.png")
    #expect(inspected.text.contains("\"source\":\"s3://photos/a.png\""), "\(inspected.errors)")
    let fetched = try await run("fetch", "s3://photos/a.png", "s3://photos/none.png")
    #expect(fetched.status == 1)
    #expect(fetched.lines.contains { $0.hasPrefix("404 ") && $0.hasSuffix(" s3://photos/none.png") })
    let planned = try await run("plan", "m.yaml")
    #expect(planned.status == 0, "\(planned.errors)")
  }

  @Test("loopback needs --allow-net, whether typed or not")
  func policy() async throws {
    defer { server.stop() }
    for arguments in [
      ["convert", "--s3-endpoint", server.endpoint, "s3://photos/a.png", "a.webp"], ["ls", "s3://photos"],
    ] {
      var variables = environment
      variables["IMAGEMILL_ALLOW_NET"] = nil
      let outcome = try await command.run(arguments: arguments, environment: variables)
      #expect(outcome.status == 1)
      #expect(outcome.errors.contains("--allow-net loopback allows it"), "\(outcome.errors)")
    }
    #expect(server.server.requests.isEmpty)
  }

  @Test(
    "mistakes are told before anything is sent",
    arguments: [
      (["ls", "https://a/b"], "must begin with 's3://'"), (["ls", "-", "-"], "give '-' once"),
      (["ls", "s3://a:b/c"], "letters, digits"), (["inspect", "s3://photos"], "names no object"),
      (["ls", "--s3-endpoint", "127.0.0.1:9000", "s3://a"], "--s3-endpoint: an S3 endpoint must be"),
      (["ls", "--s3-addressing", "host", "s3://a"], "--s3-addressing"),
    ])
  func mistakes(arguments: [String], words: String) async throws {
    defer { server.stop() }
    let outcome = try await command.run(arguments: arguments, environment: environment)
    #expect(outcome.status == 2)
    #expect(outcome.errors.contains(words), "\(outcome.errors)")
    #expect(server.server.requests.isEmpty)
  }

  @Test("a bucket that can't be listed ends ls with 1, and a busy server with 75")
  func failures() async throws {
    defer { server.stop() }
    server.inject { _ in ObjectServer.error("NoSuchBucket", status: 404) }
    let missing = try await run("ls", "--retries", "0", "s3://photos")
    #expect(missing.status == 1)
    #expect(missing.errors.contains("s3://photos/: there is no bucket 'photos'"), "\(missing.errors)")
    #expect(missing.errors.hasSuffix("(NoSuchBucket)\n"), "\(missing.errors)")
    server.inject { _ in ObjectServer.error("SlowDown", status: 503) }
    #expect(try await run("ls", "--retries", "0", "s3://photos").status == 75)
    server.inject { _ in Page(text: "<html></html>", type: "text/html") }
    let page = try await run("ls", "s3://photos")
    #expect(page.status == 1 && page.errors.contains("no list of objects"), "\(page.errors)")
  }

  @Test("neither the secret, the token nor a signature is in any output, report, cache or log")
  func secrecy() async throws {
    defer { server.stop() }
    try command.write(
      """
      imagemill: 1
      jobs:
        - {source: "s3://photos/a.png", output: "a.png"}
        - {source: "s3://photos/none.png", output: "b.png"}
      """, to: "m.yaml")
    var texts: [String] = []
    for arguments in [
      [
        "run", "-v", "--report", "r.json", "--report", "r.html", "--events", "e.ndjson", "--lock", "l.lock",
        "m.yaml",
      ],
      ["fetch", "--json", "s3://photos/a.png"], ["ls", "--json", "s3://photos"], ["config"],
      ["doctor", "--json"],
      ["cache", "list", "--json"], ["plan", "--json", "m.yaml"],
    ] {
      let outcome = try await command.run(arguments: arguments, environment: environment)
      texts += [outcome.text, outcome.errors]
    }
    let signatures = server.server.requests.compactMap {
      $0.field("Authorization")?.split(separator: "Signature=").last.map(String.init)
    }
    #expect(signatures.count >= 4)
    let secrets = [ObjectServer.environment["AWS_SECRET_ACCESS_KEY"] ?? "", "t0k3n/+="] + signatures
    for text in texts {
      for secret in secrets { #expect(!text.contains(secret), "\(text.prefix(400))") }
    }
    // The cache too.
    for case let file as String in FileManager.default.enumerator(atPath: command.directory)?.allObjects ?? []
    {
      guard let data = FileManager.default.contents(atPath: command.directory + "/" + file) else { continue }
      for secret in secrets { #expect(data.firstRange(of: Data(secret.utf8)) == nil, "\(file)") }
    }
  }

  @Test("what is made of an object stays out of a remote cache")
  func remoteCache() async throws {
    let remote = try StorageServer()
    defer {
      remote.stop()
      server.stop()
    }
    try command.write("imagemill: 1\njobs: [{source: \"s3://photos/a.png\", output: a.webp}]\n", to: "m.yaml")
    let ran = try await run("run", "--remote-cache", remote.server.url("/images/"), "m.yaml")
    #expect(ran.status == 0, "\(ran.errors)")
    #expect(remote.server.requests.isEmpty)
  }

  @Test("a profile of AWS's files signs")
  func profiles() async throws {
    defer { server.stop() }
    let key = ObjectServer.environment
    try command.write(
      """
      [work]
      aws_access_key_id = \(key["AWS_ACCESS_KEY_ID"] ?? "")
      aws_secret_access_key = \(key["AWS_SECRET_ACCESS_KEY"] ?? "")
      aws_session_token = \(key["AWS_SESSION_TOKEN"] ?? "")
      """, to: "credentials")
    try command.write("[profile work]\nregion = eu-west-1\nendpoint_url = \(server.endpoint)\n", to: "config")
    let variables = [
      "AWS_PROFILE": "work", "AWS_SHARED_CREDENTIALS_FILE": "credentials", "AWS_CONFIG_FILE": "config",
    ]
    let listed = try await run("ls", "--allow-net", "loopback", "s3://photos", environment: variables)
    #expect(listed.status == 0 && listed.lines.count == 5, "\(listed.errors)")
    let none = try await run(
      "ls", "s3://photos", environment: variables.merging(["AWS_PROFILE": "none"]) { $1 })
    #expect(none.status == 1 && none.errors.contains("no AWS profile 'none'"), "\(none.errors)")
  }
}
