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

  @Test("a netrc's default entry isn't sent to the target of a redirect, nor a host's to another port of it")
  func netrcRedirects() async throws {
    let end = try LoopbackServer { _ in Page(picture, type: "image/png") }
    defer { end.stop() }
    let port = try #require(end.url("/").split(separator: ":").last)
    let start = try LoopbackServer { request in
      Page([], status: 302, fields: [("Location", "http://\(request.path.dropFirst()):\(port)a.png")])
    }
    defer { start.stop() }
    try command.write("machine 127.0.0.1 login a password 1\ndefault login d password secret\n", to: "netrc")
    for host in ["localhost", "127.0.0.1"] {
      let outcome = try await command.run(
        "fetch", "--allow-net", "loopback", "--netrc-file", "netrc", "-o", "a.png", start.url("/\(host)"))
      #expect(outcome.status == 0, "\(outcome.errors)")
    }
    #expect(start.requests.allSatisfy { $0.field("Authorization") == "Basic YTox" })
    #expect(end.requests.count == 2 && end.requests.allSatisfy { $0.field("Authorization") == nil })
  }

  @Test(
    "a response to a request with a cookie, a key or another host isn't given to one without",
    arguments: ["Cookie: id=1", "X-Api-Key: 1", "Private-Token: 1", "Host: other.example"])
  func identifyingFields(field: String) async throws {
    let server = try LoopbackServer { _ in
      Page(picture, type: "image/png", fields: [("Cache-Control", "max-age=1000")])
    }
    defer { server.stop() }
    for (options, requests) in [
      (["-H", field], 1), (["-H", field], 1), ([], 2), ([], 2), (["-H", field + "2"], 3),
    ] {
      let outcome = try await command.run(
        ["pipe", "--allow-net", "loopback", "-f", "limit:3x", "-o", "a.png"] + options,
        input: Data(server.url("/a.png").utf8))
      #expect(outcome.status == 0, "\(outcome.errors)")
      #expect(server.requests.count == requests, "\(options)")
    }
  }

  @Test("what was requested with a field that may identify the user isn't uploaded by a later run without it")
  func laterUpload() async throws {
    let server = try LoopbackServer { _ in
      Page(picture, type: "image/png", fields: [("Cache-Control", "max-age=1000")])
    }
    let remote = try StorageServer()
    defer { server.stop() }
    let lines: [(options: [String], uploads: Bool)] = [
      (["-H", "X-User: ada"], false), ([], false), (["--refresh"], true),
    ]
    for (number, line) in lines.enumerated() {
      let outcome = try await command.run(
        ["pipe", "--allow-net", "loopback", "--remote-cache", remote.server.url("/images/")]
          + ["-f", "limit:\(number + 2)x", "-o", "\(number).png"] + line.options,
        input: Data(server.url("/a.png").utf8))
      #expect(outcome.status == 0, "\(outcome.errors)")
      #expect(remote.server.requests.contains { $0.method == "PUT" } == line.uploads, "\(line)")
    }
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

  /// A secret for each place that can hold one.
  private enum Secret {
    static let user = "pw-user", signature = "pw-signature", token = "pw-token", header = "pw-header"
    static let cookie = "pw-cookie", netrc = "pw-netrc", proxy = "pw-proxy", option = "pw-option"
    static let redirect = "pw-redirect", overlay = "pw-overlay", placeholder = "pw-placeholder"
    static let variable = "pw-variable"
    /// What every secret begins with, and the beginnings of its forms in Base64 after a name of any length.
    static let forms = ["pw-", "pw%2D", "cHct", "B3LX", "B3LW", "wdy1"]
  }

  @Test("a secret in any place is in no output, report, event, log, lock or cache file of jobs that fail")
  func failingJobs() async throws {
    // Every answer fails, by its status, its body or its redirect.
    let server = try LoopbackServer { request in
      switch String(request.target.prefix { $0 != "?" }) {
      case "/401": Page([], status: 401, fields: [("WWW-Authenticate", "Basic realm=\"a\"")])
      case "/503": Page([], status: 503)
      case "/text": Page(Array("<html>".utf8), type: "text/html")
      case "/moved":
        Page([], status: 302, fields: [("Location", "/503?token=of-the-server")])
      case "/loop":
        Page(
          [], status: 301,
          fields: [
            ("Location", "http://u:\(Secret.redirect)@127.0.0.1:1/x"), ("Cache-Control", "max-age=600"),
          ])
      case "/vary":
        Page(
          Array("<html>".utf8), type: "text/html",
          fields: [("Vary", "Cookie, X-Api-Key, Authorization"), ("Cache-Control", "max-age=600")])
      case "/cut": Page(Array("\u{89}PNG".utf8), type: "image/png")
      default: Page([], status: 404)
      }
    }
    defer { server.stop() }
    let home = server.url("").replacing("http://", with: "http://me:\(Secret.user)@")
    let query = "X-Amz-Signature=\(Secret.signature)&token=\(Secret.token)&sig=\(Secret.signature)"
    func escaped(_ url: String) -> String { url.replacing(":", with: "%3A").replacing("=", with: "%3D") }
    let overlay = escaped("http://me:\(Secret.overlay)@127.0.0.1:1/o.png?token=\(Secret.overlay)")
    var jobs: [String] = []
    for (index, path) in ["401", "503", "text", "moved", "loop", "cut", "vary", "404"].enumerated() {
      jobs.append(#"  - {source: "\#(home)/\#(path)?\#(query)", output: "\#(index).png"}"#)
    }
    jobs += [
      #"  - {source: a.png, filter: "overlay:\#(overlay)", output: "{filter}.png"}"#,
      #"  - {source: ["\#(home)/404?\#(query)", "\#(home)/503?\#(query)"], output: list.png}"#,
      #"  - {source: "\#(home)/404", placeholder: "\#(home)/404?token=\#(Secret.placeholder)", output: p.png}"#,
      #"  - {source: "http://me:\#(Secret.user)@[::bad/x?\#(query)", output: "bad.png"}"#,
    ]
    let head =
      #"imagemill: 1\#norigins: {"\#(server.url(""))": {headers: {X-Token: "${SECRET}"}, user: "me:${SECRET}"}}\#n"#
      + "jobs:\n"
    try command.write("\(head)\(jobs.dropLast().joined(separator: "\n"))\n", to: "m.yaml")
    try command.write("\(head)\(jobs.joined(separator: "\n"))\n", to: "wrong.yaml")
    try command.write("machine 127.0.0.1 login me password \(Secret.netrc)\n", to: "netrc")
    try command.write(picture, to: "a.png")
    let options = [
      "--allow-net", "loopback", "--retries", "0", "--env", "SECRET", "-H", "X-Api-Key: \(Secret.header)",
      "-H", "Cookie: id=\(Secret.cookie)", "-H", "Authorization: Bearer \(Secret.header)", "--netrc-file",
      "netrc",
    ]
    let environment = [
      "SECRET": Secret.variable, "AWS_SECRET_ACCESS_KEY": Secret.variable,
      "http_proxy": "", "no_proxy": "*",
    ]
    let reports = [
      "--report", "r.json", "--report", "r.ndjson", "--report", "r.xml", "--report", "r.html", "--events",
      "e.ndjson", "--lock", "l.lock", "--metrics", "m.prom", "--emit", "picture=e.html",
    ]
    let urls = (0..<3).map { "\(home)/404?\(query)&n=\($0)" }
    var outcomes: [CommandRun.Outcome] = []
    func words(_ text: String, _ more: [String]...) -> [String] {
      text.split(separator: " ").map(String.init) + more.flatMap(\.self)
    }
    let manifest = ["m.yaml"]
    let withoutVariable = options.filter { !["--env", "SECRET"].contains($0) }
    let lines = [
      words("run -v", options, reports, manifest), words("run -u me:\(Secret.option)", options, manifest),
      words("run --proxy http://p:\(Secret.proxy)@127.0.0.1:1", options, manifest),
      words("run --check", options, manifest), words("run --dry-run", options, manifest),
      words("run --why", options, manifest), words("run --frozen --lock l.lock", options, manifest),
      words("run", options, ["wrong.yaml"]), words("validate --env SECRET wrong.yaml"),
      words("plan --json", options, manifest), words("plan --dot", options, manifest),
      words("plan", options, manifest), words("validate --env SECRET m.yaml"),
      words("fetch --json -d 2", withoutVariable, urls),
      words("inspect --json --allow-net loopback", ["\(home)/text?\(query)"]),
      words("convert --allow-net loopback -o c.png", ["\(home)/404?\(query)"]),
      words("pipe --json -v -o {index}.png --allow-net loopback --retries 0", urls), words("cache list"),
      words("cache list --json"), words("cache stats"), words("cache verify"), words("doctor"),
      words("config"),
    ]
    for line in lines {
      let outcome = try await command.run(line, environment: environment)
      outcomes.append(outcome)
      // A mistake in the command line itself would hide what it should show.
      #expect(outcome.status != 2 || line.contains("wrong.yaml"), "\(line): \(outcome.errors)")
      for form in Secret.forms {
        #expect(!outcome.text.contains(form), "\(line[0]): \(outcome.text)")
        #expect(!outcome.errors.contains(form), "\(line[0]): \(outcome.errors)")
      }
    }
    #expect(outcomes[0].status == 1 || outcomes[0].status == 75, "\(outcomes[0].errors)")
    #expect(server.requests.contains { $0.target.contains(Secret.signature) })
    let inputs = ["work/m.yaml", "work/wrong.yaml", "work/netrc"]
    let everything = FileManager.default.enumerator(atPath: command.directory)?.allObjects ?? []
    for case let name as String in everything where !inputs.contains(name) {
      #expect(!name.contains("pw-"), "\(name)")
      guard let bytes = FileManager.default.contents(atPath: command.directory + "/" + name) else { continue }
      for form in Secret.forms { #expect(bytes.range(of: Data(form.utf8)) == nil, "\(form) in \(name)") }
    }
  }

  @Test("without a home there is no netrc to read")
  func noHome() async throws {
    let outcome = try await command.run("fetch", "--netrc", "http://127.0.0.1:9/", environment: ["HOME": ""])
    #expect(outcome.status == 2)
    #expect(outcome.errors.contains("HOME") && !outcome.errors.contains(" /.netrc"), "\(outcome.errors)")
  }

  @Test("a variable that isn't allowed is told from one that isn't set")
  func unsetVariable() async throws {
    try command.write(
      "imagemill: 1\norigins: {https://a.example: {user: \"me:${IMAGEMILL_TEST_TOKEN}\"}}\n"
        + "jobs: [{source: a.png, output: b.png}]\n", to: "m.yaml")
    let set = ["IMAGEMILL_TEST_TOKEN": "secret"]
    let refused = try await command.run(["validate", "m.yaml"], environment: set)
    #expect(refused.status == 2)
    #expect(
      refused.errors.contains(
        "error: '${IMAGEMILL_TEST_TOKEN}' isn't allowed: allow it with '--env IMAGEMILL_TEST_TOKEN'\n"),
      "\(refused.errors)")
    let allowed = ["validate", "--env", "IMAGEMILL_TEST_TOKEN", "m.yaml"]
    let unset = try await command.run(allowed)
    #expect(unset.status == 2)
    #expect(
      unset.errors.contains("error: the environment variable IMAGEMILL_TEST_TOKEN isn't set: export it\n"),
      "\(unset.errors)")
    #expect(try await command.run(allowed, environment: set).status == 0)
  }
}
