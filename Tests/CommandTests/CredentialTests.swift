import Foundation
import LoopbackServer
import Testing

/// Who is told what, through the built command.
@Suite("Credentials on the command line", .timeLimit(.minutes(8)))
struct CredentialTests {
  private let command: CommandRun
  private let picture = PNGImage.bytes(width: 8, height: 8)

  init() throws { command = try CommandRun() }

  /// "me:secret" in Basic's form (RFC 7617 §2).
  private static let basic = "Basic bWU6c2VjcmV0"

  /// A server that shows its image to those alone who say "me:secret".
  private func closedServer() throws -> LoopbackServer {
    try LoopbackServer { [picture] request in
      request.field("Authorization") == Self.basic
        ? Page(picture, type: "image/png")
        : Page([], status: 401, fields: [("WWW-Authenticate", "Basic realm=\"a\"")])
    }
  }

  @Test("those on standard input's first line leave the rest of it to the command")
  func standardInput() async throws {
    let server = try closedServer()
    defer { server.stop() }
    let sources = (1...3).map { server.url("/\($0).png") }
    let piped = try await command.run(
      "pipe", "-q", "--allow-net", "loopback", "--user", "-", "-o", "{name}.png",
      input: Data(("me:secret\r\n" + sources.joined(separator: "\n")).utf8))
    #expect(piped.status == 0, "\(piped.errors)")
    #expect(Set(piped.lines) == ["1.png", "2.png", "3.png"])
    let converted = try await command.run(
      "convert", "--user", "-", "-", "a.png", input: Data("me:secret\n".utf8) + Data(picture))
    #expect(converted.status == 0, "\(converted.errors)")
    let manifest = "imagemill: 1\njobs:\n  - {source: \"\(server.url("/9.png"))\", output: b.png}\n"
    let ran = try await command.run(
      "run", "--allow-net", "loopback", "--user", "-", "-", input: Data(("me:secret\n" + manifest).utf8))
    #expect(ran.status == 0, "\(ran.errors)")
    #expect(command.files.contains("b.png"))
  }

  @Test(
    "a standard input that can't be read is an error, not an empty name",
    arguments: ["run --user - m.yaml", "fetch --user - SERVER/a", "pipe --user - -o {name}.webp SERVER/a"],
    ["< /", "<&-"])
  func unreadable(line: String, redirection: String) async throws {
    let server = try closedServer()
    defer { server.stop() }
    try command.write(
      "imagemill: 1\njobs: [{source: \"\(server.url("/a"))\", output: a.webp}]\n", to: "m.yaml")
    let words = line.replacing("SERVER", with: server.url(""))
    let outcome = try await command.run(
      ["-c", "'\(CommandRun.executable)' \(words) --allow-net loopback \(redirection)"],
      executable: "/bin/bash")
    #expect(outcome.status == 2, "\(outcome.errors)")
    #expect(
      outcome.errors.hasPrefix("imagemill: can't read the user's name from standard input: "),
      "\(outcome.errors)")
    #expect(server.requests.isEmpty)
  }

  @Test("a netrc's go to the host that each stands for, at every hop")
  func netrc() async throws {
    let end = try closedServer()
    defer { end.stop() }
    let port = try #require(end.url("/").split(separator: ":").last)
    let start = try LoopbackServer { request in
      request.field("Authorization") == "Basic YTox"
        ? Page([], status: 302, fields: [("Location", "http://localhost:\(port)a.png")])
        : Page([], status: 401)
    }
    defer { start.stop() }
    try command.write(
      "machine 127.0.0.1 login a password 1\nmachine localhost\n login me\n password secret\n", to: "netrc")
    let outcome = try await command.run(
      "fetch", "--allow-net", "loopback", "--netrc-file", "netrc", "-o", "a.png", start.url("/x"))
    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(command.read("a.png") == Data(picture))
  }

  @Test("a proxy gets its own and passes on the origin's; literal addresses are refused before it is asked")
  func proxy() async throws {
    let proxy = try LoopbackServer { [picture] request in
      request.field("Proxy-Authorization") == "Basic cDpx"
        ? Page(picture, type: "image/png") : Page([], status: 407)
    }
    defer { proxy.stop() }
    let address = proxy.url("").replacing("http://", with: "http://p:q@")
    let outcome = try await command.run(
      "pipe", "--no-cache", "--proxy", address, "-u", "me:secret", "-o", "{name}.png",
      input: Data(
        "http://images.example/a.png\nhttp://10.0.0.1/b.png\nhttp://[::ffff:10.0.0.1]/c.png\n".utf8))
    #expect(outcome.status == 1)
    #expect(outcome.lines == ["a.png"], "\(outcome.errors)")
    #expect(outcome.errors.contains("--allow-net private"))
    #expect(proxy.requests.map(\.target) == ["http://images.example/a.png"])
    #expect(proxy.requests.first?.field("Authorization") == Self.basic)
    let refused = try await command.run(
      "fetch", "--no-cache", "--proxy", proxy.url(""), "http://images.example/a.png")
    #expect(refused.text.hasPrefix("407 "))
  }

  @Test("no password is in any output, report, event, lock or cache file")
  func secrecy() async throws {
    let server = try closedServer()
    defer { server.stop() }
    let secretURL = server.url("/a.png").replacing("http://", with: "http://me:secret@")
    let overlay = (secretURL + "?token=s3cr3t").replacing(":", with: "%3A").replacing("=", with: "%3D")
    try command.write(
      """
      imagemill: 1
      jobs:
        - {source: "\(secretURL)", output: "a.png"}
        - {source: "\(secretURL)/missing", filter: "fit:2x2", output: "b.png"}
        - {source: "\(secretURL.replacing("secret", with: "s3cr3t"))", output: "c.png"}
        - {source: "\(secretURL)", filter: "overlay:\(overlay)", output: "d.png"}
        - {source: "\(secretURL)", filter: "overlay:\(overlay)/missing", output: "{filter}.png"}
      """, to: "m.yaml")
    let outcome = try await command.run(
      "run", "-v", "--allow-net", "loopback", "--retries", "0", "--report", "r.json", "--report", "r.ndjson",
      "--report", "r.xml", "--report", "r.html", "--events", "e.ndjson", "--lock", "l.lock", "m.yaml")
    #expect(outcome.status == 1)
    #expect(command.files.contains("a.png"), "\(outcome.errors)")
    let plan = try await command.run("plan", "--json", "--allow-net", "loopback", "m.yaml")
    let dot = try await command.run("plan", "--dot", "--allow-net", "loopback", "m.yaml")
    let proxied = try await command.run(
      "fetch", "--no-cache", "--retries", "0", "--proxy", "http://u:secret@:bad",
      "http://images.example/a.png")
    #expect(proxied.errors.contains("…@:bad"), "\(proxied.errors)")
    let explained = try await command.run("cache", "explain", "a.png")
    let listed = try await command.run("cache", "list")
    for text in [outcome, plan, dot, proxied, explained, listed].flatMap({ [$0.text, $0.errors] }) {
      #expect(!text.contains("secret") && !text.contains("s3cr3t"), "\(text)")
    }
    let everything = FileManager.default.enumerator(atPath: command.directory)?.allObjects ?? []
    for case let name as String in everything where name != "work/m.yaml" {
      guard let bytes = FileManager.default.contents(atPath: command.directory + "/" + name) else { continue }
      for secret in ["secret", "s3cr3t", "bWU6c2VjcmV0"] {
        #expect(bytes.range(of: Data(secret.utf8)) == nil, "\(name)")
      }
    }
  }

  @Test("without a home there is no netrc to read")
  func noHome() async throws {
    let outcome = try await command.run("fetch", "--netrc", "http://127.0.0.1:9/", environment: ["HOME": ""])
    #expect(outcome.status == 2)
    #expect(outcome.errors.contains("HOME") && !outcome.errors.contains(" /.netrc"), "\(outcome.errors)")
  }
}
