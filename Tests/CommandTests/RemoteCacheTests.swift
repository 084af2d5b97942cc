import Foundation
import ImageCaches
import LoopbackServer
import TestSupport
import Testing

/// A cache of outputs that machines share. Each `CommandRun` has a cache and directories of its own, as a machine has.
@Suite("A remote cache", .timeLimit(.minutes(8)))
struct RemoteCacheTests {
  private let origin: LoopbackServer
  private let remote: StorageServer
  private static let jobs = 6

  init() throws {
    origin = try LoopbackServer { request in
      let number = Int(request.path.filter(\.isNumber)) ?? 0
      return Page(PNGImage.bytes(width: 60, height: 40, seed: number), type: "image/png")
    }
    remote = try StorageServer()
  }

  private func manifest(sources: (Int) -> String) -> String {
    "imagemill: 1\njobs:\n"
      + (0..<Self.jobs).map { number in
        """
          - source: "\(sources(number))"
            outputs:
              - {filter: "fit:20x20", output: "\(number).png"}
              - {filter: "fill:16x16,circle", output: "\(number).webp"}

        """
      }.joined()
  }

  private var manifest: String { manifest { origin.url("/\($0).png") } }

  /// Runs the manifest on a machine, and returns the summary of its report.
  private func run(
    _ machine: CommandRun, _ options: String..., manifest: String? = nil, environment: [String: String] = [:]
  ) async throws -> (outcome: CommandRun.Outcome, summary: [String: Any]) {
    try machine.write(manifest ?? self.manifest, to: "m.yaml")
    let outcome = try await machine.run(
      arguments: [
        "run", "--allow-net", "loopback", "--remote-cache", remote.server.url("/images/"), "--report",
        "report.json", "-C", "out", "m.yaml",
      ] + options, environment: environment)
    let report =
      try JSONSerialization.jsonObject(with: machine.read("report.json") ?? Data()) as? [String: Any]
    return (outcome, try #require(report?["summary"] as? [String: Any], "\(outcome.errors)"))
  }

  private func outputs(_ machine: CommandRun) -> [String: Data] {
    var outputs: [String: Data] = [:]
    for name in machine.files where name.hasPrefix("out/") { outputs[name] = machine.read(name) }
    return outputs
  }

  /// The outputs of a run without a remote cache.
  private func expected() async throws -> [String: Data] {
    let machine = try CommandRun()
    try machine.write(manifest, to: "m.yaml")
    #expect(
      try await machine.run("run", "--allow-net", "loopback", "--no-cache", "-C", "out", "m.yaml").status == 0
    )
    return outputs(machine)
  }

  /// A machine that has made all outputs and shared them.
  private func shared() async throws -> CommandRun {
    let machine = try CommandRun()
    let (outcome, summary) = try await run(machine)
    #expect(outcome.status == 0 && !outcome.errors.contains("warning"), "\(outcome.errors)")
    #expect(summary["renderings"] as? Int == 12 && summary["remoteUploads"] as? Int == 12)
    #expect(summary["remoteMisses"] as? Int == 12 && summary["remoteHits"] as? Int == 0)
    return machine
  }

  private func warnings(_ outcome: CommandRun.Outcome) -> [String] {
    outcome.errors.split(separator: "\n").filter { $0.contains("warning") }.map(String.init)
  }

  @Test("a second machine renders nothing that the first has made, and has the same files")
  func secondMachine() async throws {
    let first = try await shared()
    let paths = remote.objects.keys
    #expect(paths.count { $0.hasPrefix("/images/ac/") } == 12)
    // Equal bytes are stored once, each under its own digest.
    for (path, bytes) in remote.objects where path.hasPrefix("/images/cas/") {
      #expect(path == "/images/cas/\(ContentDigest(hashing: bytes).hex)")
    }
    let puts = remote.count("PUT")
    let second = try CommandRun()
    let (outcome, summary) = try await run(second)
    #expect(outcome.status == 0 && warnings(outcome).isEmpty, "\(outcome.errors)")
    #expect(summary["renderings"] as? Int == 0 && summary["decodes"] as? Int == 0)
    #expect(summary["remoteHits"] as? Int == 12 && summary["outputsFromCache"] as? Int == 12)
    #expect(outputs(second) == outputs(first) && outputs(first).count == 12)
    #expect(remote.count("PUT") == puts, "what was found isn't uploaded again")
    #expect(outcome.errors.contains("remote cache: 12 found ("), "\(outcome.errors)")
    // It is in this machine's cache now.
    let gets = remote.count("GET")
    let (again, unchanged) = try await run(second)
    #expect(again.status == 0 && unchanged["outputsUnchanged"] as? Int == 12 && remote.count("GET") == gets)
    let stats = try await second.run("cache", "stats")
    #expect(stats.text.contains("12 outputs found in the remote cache: "), "\(stats.text)")
  }

  @Test("read leaves the server as it is")
  func readOnly() async throws {
    let machine = try CommandRun()
    let (outcome, summary) = try await run(machine, "--remote-cache-mode", "read")
    #expect(outcome.status == 0 && summary["renderings"] as? Int == 12, "\(outcome.errors)")
    #expect(remote.objects.isEmpty && remote.count("PUT") == 0 && remote.count("GET") == 12)
  }

  @Test("--force renders all, and shares it")
  func force() async throws {
    _ = try await shared()
    let gets = remote.count("GET")
    let (outcome, summary) = try await run(try CommandRun(), "--force")
    #expect(outcome.status == 0 && summary["renderings"] as? Int == 12 && remote.count("GET") == gets)
    #expect(summary["remoteUploads"] as? Int == 12)
  }

  @Test("an output with placeholders is found only where they are stored with it")
  func placeholders() async throws {
    _ = try await shared()
    let (outcome, summary) = try await run(try CommandRun(), "--placeholders")
    #expect(outcome.status == 0 && summary["renderings"] as? Int == 12 && summary["remoteHits"] as? Int == 0)
    // They are stored now; who doesn't want them finds the output too.
    for option in ["--placeholders", "--verbose"] {
      let (outcome, summary) = try await run(try CommandRun(), option)
      #expect(outcome.status == 0 && summary["remoteHits"] as? Int == 12, "\(option): \(outcome.errors)")
    }
  }

  @Test(
    "a server that refuses, is gone, is full or lies fails nothing, and is named once",
    arguments: ["401", "403", "500", "507", "reset", "html", "redirect"])
  func badServer(fault: String) async throws {
    let wanted = try await expected()
    remote.inject { _ in
      switch fault {
      case "reset": Page(Array("x".utf8), framing: .announced(100))
      case "html": Page(text: "<!doctype html><p>Sign in", type: "text/html")
      case "redirect": .redirect(to: "https://example.com/")
      default: Page(status: Int(fault) ?? 500)
      }
    }
    let machine = try CommandRun()
    let (outcome, summary) = try await run(machine)
    #expect(outcome.status == 0 && outputs(machine) == wanted, "\(outcome.errors)")
    #expect(summary["renderings"] as? Int == 12 && summary["remoteHits"] as? Int == 0)
    // At most one for lookups and one for uploads, and one for the first damaged entry.
    #expect((1...3).contains(warnings(outcome).count), "\(outcome.errors)")
    #expect(warnings(outcome).allSatisfy { $0.contains("remote cache") })
  }

  @Test("a server that never answers costs its time limit once")
  func silentServer() async throws {
    let gate = Gate()
    defer { gate.open() }
    remote.inject { _ in Page(gate: gate) }
    let wanted = try await expected()
    let machine = try CommandRun()
    let (outcome, _) = try await run(machine, "--remote-timeout", "1s")
    #expect(outcome.status == 0 && outputs(machine) == wanted, "\(outcome.errors)")
    #expect(warnings(outcome).count == 1, "\(outcome.errors)")
    // Sixteen lookups at a time, of twelve outputs; no second round.
    #expect(remote.server.requests.count <= 12)
  }

  @Test("a server that isn't there costs one warning")
  func noServer() async throws {
    let wanted = try await expected()
    remote.stop()
    let machine = try CommandRun()
    let (outcome, _) = try await run(machine)
    #expect(
      outcome.status == 0 && outputs(machine) == wanted && warnings(outcome).count == 1, "\(outcome.errors)")
  }

  @Test(
    "wrong bytes, a wrong record and a wrong format are never used",
    arguments: ["bytes", "cut", "swapped", "record"])
  func lies(lie: String) async throws {
    let first = try await shared()
    var objects = remote.objects
    let records = objects.keys.filter { $0.contains("/ac/") }.sorted()
    switch lie {
    case "bytes":
      for path in objects.keys where path.contains("/cas/") { objects[path]?[20] ^= 1 }
    case "cut":
      for path in objects.keys where path.contains("/cas/") { objects[path]?.removeLast() }
    case "swapped":
      // A PNG's record where a WebP's is wanted, and the other way round.
      let webp = Set(
        records.filter { String(decoding: objects[$0] ?? [], as: UTF8.self).contains("output.webp") })
      for (png, webp) in zip(records.filter { !webp.contains($0) }, webp) { objects.swapValues(png, webp) }
    default:
      for path in records { objects[path] = Array("hello".utf8) }
    }
    remote.objects = objects
    let machine = try CommandRun()
    let (outcome, summary) = try await run(machine)
    #expect(outcome.status == 0 && outputs(machine) == outputs(first), "\(outcome.errors)")
    #expect(summary["remoteHits"] as? Int == 0 && summary["renderings"] as? Int == 12)
    #expect((1...2).contains(warnings(outcome).count), "\(outcome.errors)")
  }

  @Test("a busy server is asked again")
  func busy() async throws {
    _ = try await shared()
    let refused = Refusals()
    // The first request for each path.
    remote.inject { refused.isFirst($0.method + $0.path) ? Page(status: 503) : nil }
    let (outcome, summary) = try await run(try CommandRun())
    #expect(outcome.status == 0 && summary["remoteHits"] as? Int == 12, "\(outcome.errors)")
    #expect(warnings(outcome).isEmpty, "\(outcome.errors)")
  }

  private final class Refusals: Sendable {
    private let seen = Shared<Set<String>>([])
    func isFirst(_ name: String) -> Bool { seen.change { $0.insert(name).inserted } }
  }

  @Test(
    "outputs of private sources stay on the machine",
    arguments: ["header", "credential", "url", "signature", "private", "no-store", "overlay"])
  func privateSources(kind: String) async throws {
    let closed = try LoopbackServer { request in
      let fields = ["private", "no-store"].contains(kind) ? [("Cache-Control", "\(kind), max-age=60")] : []
      return Page(PNGImage.bytes(width: 30, height: 20, seed: 1), type: "image/png", fields: fields)
    }
    defer { closed.stop() }
    let options: [String] =
      switch kind {
      case "header": ["-H", "Cookie: session=hunter2"]
      case "credential": ["-u", "me:hunter2"]
      default: []
      }
    let source =
      switch kind {
      case "url": closed.url("/a.png").replacing("http://", with: "http://me:hunter2@")
      case "signature": closed.url("/a.png?X-Signature=hunter2")
      default: closed.url("/a.png")
      }
    let machine = try CommandRun()
    let chain = kind == "overlay" ? "overlay:logo" : "fit:9x9"
    let text =
      "imagemill: 1\nsources:\n  logo: \"\(closed.url("/b.png?token=hunter2"))\"\njobs:\n"
      + "  - {source: \"\(source)\", filter: \"\(chain)\", output: a.png}\n"
    try machine.write(text, to: "m.yaml")
    for _ in 0..<2 {
      let outcome = try await machine.run(
        arguments: [
          "run", "--allow-net", "loopback", "--remote-cache", remote.server.url(""), "-C", "out", "m.yaml",
        ] + options)
      #expect(outcome.status == 0, "\(outcome.errors)")
      try FileManager.default.removeItem(atPath: machine.work + "/out")
    }
    #expect(remote.server.requests.isEmpty, "\(remote.server.requests.map(\.target))")
  }

  @Test("its header is sent with every request, and is in no file and no message")
  func header() async throws {
    let machine = try CommandRun()
    let (outcome, _) = try await run(
      machine, "--verbose", environment: ["IMAGEMILL_REMOTE_CACHE_HEADER": "Authorization: Bearer hunter2"])
    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(remote.server.requests.allSatisfy { $0.field("Authorization") == "Bearer hunter2" })
    #expect(remote.server.requests.count > 12)
    let cache = try FileManager.default.subpathsOfDirectory(atPath: machine.directory)
    for name in cache {
      let bytes = FileManager.default.contents(atPath: machine.directory + "/" + name) ?? Data()
      #expect(bytes.range(of: Data("hunter2".utf8)) == nil, "\(name)")
    }
    #expect(!(outcome.errors + outcome.text).contains("hunter2"))
  }

  @Test(
    "wrong settings are named before anything starts",
    arguments: [
      ("--remote-cache ftp://a/b", "takes an https or http URL"),
      ("--remote-cache https://a/b?c", "without a query"),
      ("--remote-cache https://me:hunter2@a/b", "IMAGEMILL_REMOTE_CACHE_HEADER"),
      ("--remote-cache https://a/b --no-cache", "leave out --no-cache"),
      ("--remote-cache-header A:b", "needs --remote-cache URL"),
      ("--remote-cache https://a/b --remote-cache-header x", "a header must be"),
      ("--remote-cache https://a/b --remote-timeout 0", "more than 0"),
    ])
  func mistakes(options: String, message: String) async throws {
    let machine = try CommandRun()
    try machine.write(manifest, to: "m.yaml")
    let outcome = try await machine.run(
      arguments: ["run", "--allow-net", "loopback", "m.yaml"]
        + options.split(separator: " ").map { String($0) })
    #expect(outcome.status == 2 && outcome.errors.contains(message), "\(outcome.errors)")
    #expect(!outcome.errors.contains("hunter2") && machine.files == ["m.yaml"])
  }

  @Test("--offline asks no server")
  func offline() async throws {
    let machine = try CommandRun()
    try machine.write(PNGImage.bytes(width: 9, height: 9), to: "a.png")
    let outcome = try await machine.run(
      "pipe", "--offline", "--remote-cache", remote.server.url(""), "-o", "b.webp", "a.png")
    #expect(outcome.status == 0 && remote.server.requests.isEmpty, "\(outcome.errors)")
  }

  @Test("nginx with dav_methods PUT serves as one", .enabled(if: NginxServer.isWanted))
  func nginx() async throws {
    let server = try NginxServer(server: "location /cache/ { dav_methods PUT; create_full_put_path on; }")
    defer { server.stop() }
    var summaries: [[String: Any]] = []
    for _ in 0..<2 {
      let machine = try CommandRun()
      try machine.write(manifest, to: "m.yaml")
      let outcome = try await machine.run(
        "run", "--allow-net", "loopback", "--remote-cache", server.url("/cache"), "--report", "r.json", "-C",
        "out",
        "m.yaml")
      #expect(outcome.status == 0 && warnings(outcome).isEmpty, "\(outcome.errors)")
      let report = try JSONSerialization.jsonObject(with: machine.read("r.json") ?? Data()) as? [String: Any]
      summaries.append(try #require(report?["summary"] as? [String: Any]))
    }
    #expect(summaries[0]["remoteUploads"] as? Int == 12 && summaries[0]["renderings"] as? Int == 12)
    #expect(summaries[1]["remoteHits"] as? Int == 12 && summaries[1]["renderings"] as? Int == 0)
  }
}

extension [String: [UInt8]] {
  fileprivate mutating func swapValues(_ one: String, _ other: String) {
    (self[one], self[other]) = (self[other], self[one])
  }
}
