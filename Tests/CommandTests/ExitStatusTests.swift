import Foundation
import LoopbackServer
import Testing

@Suite("exit statuses of fetch and inspect", .timeLimit(.minutes(8)))
struct ExitStatusTests {
  private let command: CommandRun

  init() throws { command = try CommandRun() }

  @Test("75 where every failure may pass, 1 where one may not")
  func temporary() async throws {
    let image = Page(PNGImage.bytes(width: 8, height: 6), type: "image/png")
    let server = try LoopbackServer(pages: [
      "/ok": image, "/busy": Page(text: "later", status: 503), "/gone": Page(text: "gone", status: 410),
      "/reset": Page(PNGImage.bytes(width: 90, height: 60), type: "image/png", fault: .reset(after: -1)),
      "/large": Page([UInt8](repeating: 9, count: 2 << 20), type: "text/plain", status: 503),
    ])
    defer { server.stop() }
    let cases: [([String], Int32)] = [
      (["/ok"], 0), (["/busy"], 75), (["/reset"], 75), (["/gone"], 1), (["/ok", "/busy", "/reset"], 75),
      (["/busy", "/gone"], 1), (["/large"], 75),
    ]
    for name in ["fetch", "inspect"] {
      for (paths, status) in cases {
        let outcome = try await command.run(
          arguments: [name, "--no-cache", "--retries", "0"] + paths.map { server.url($0) })
        #expect(outcome.status == status, "\(name) \(paths): \(outcome.errors)")
      }
    }
    for (paths, status) in [(["/busy", "/gone"], Int32(0)), (["/reset"], 75)] {
      let arguments =
        ["fetch", "--any-status", "--no-cache", "--retries", "0"] + paths.map { server.url($0) }
      #expect(try await command.run(arguments: arguments).status == status, "\(paths)")
    }
  }

  @Test("an error's page is no file: fetch writes it only with --any-status")
  func errorPage() async throws {
    let server = try LoopbackServer(pages: ["/gone.jpg": Page(text: "gone", status: 410)])
    defer { server.stop() }
    for output in ["f.jpg", "-"] {
      let outcome = try await command.run("fetch", "-o", output, server.url("/gone.jpg"))
      #expect(
        outcome.status == 1 && outcome.errors.contains("write it with --any-status"), "\(outcome.errors)")
      #expect(command.files.isEmpty && (output != "-" || outcome.text.isEmpty), "\(outcome.text)")
    }
    let wanted = try await command.run("fetch", "--any-status", "-o", "f.jpg", server.url("/gone.jpg"))
    #expect(wanted.status == 0 && command.read("f.jpg") == Data("gone".utf8), "\(wanted.errors)")
  }

  @Test("fetch --json prints an object for each URL, also for one without a response")
  func errorObject() async throws {
    let server = try LoopbackServer(pages: ["/a.jpg": Page(text: "a")])
    defer { server.stop() }
    let closed = try ClosedPort()
    let outcome = try await command.run(
      "fetch", "--json", "--retries", "0", server.url("/a.jpg"), closed.url("/b.jpg"))
    #expect(outcome.status == 75, "\(outcome.errors)")
    let objects = try outcome.lines.map {
      try #require(try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])
    }
    #expect(objects.count == 2, "\(outcome.text)")
    let failed = try #require(objects.first { $0["url"] as? String == closed.url("/b.jpg") })
    let error = try #require(failed["error"] as? [String: Any])
    #expect(error["code"] as? String == "connection-failed" && error["stage"] as? String == "download")
    #expect(error["message"] is String && error["temporary"] as? Bool == true)
  }

  @Test("a part that wasn't requested is a failure of fetch, and no file")
  func unwantedPart() async throws {
    let part = Page(
      Array("part".utf8), type: "image/png", status: 206, reason: "Partial Content",
      fields: [("Content-Range", "bytes 0-3/98")])
    let server = try LoopbackServer(pages: ["/a.png": part])
    defer { server.stop() }
    let outcome = try await command.run("fetch", "-o", "a.png", server.url("/a.png"))
    #expect(outcome.status == 1 && command.files.isEmpty, "\(outcome.text)")
    #expect(outcome.errors.contains("only a part of the body (206), which wasn't requested"))
    let wanted = try await command.run(
      "fetch", "-H", "Range: bytes=0-3", "-o", "a.png", server.url("/a.png"))
    #expect(wanted.status == 0 && command.read("a.png") == Data("part".utf8), "\(wanted.errors)")
  }

  @Test("fetch --quiet names an error status, since a failure isn't silent")
  func quietError() async throws {
    let server = try LoopbackServer(pages: [
      "/gone.jpg": Page(Array("gone".utf8), status: 410, reason: "Gone"), "/a.jpg": Page(text: "a"),
    ])
    defer { server.stop() }
    let failed = try await command.run("fetch", "--quiet", server.url("/gone.jpg"))
    #expect(failed.status == 1 && failed.text.isEmpty, "\(failed.text)")
    #expect(failed.errors == "imagemill: \(server.url("/gone.jpg")): the server returned 410 Gone\n")
    for arguments in [["fetch", "--quiet", server.url("/a.jpg")], ["fetch", server.url("/gone.jpg")]] {
      #expect(try await command.run(arguments: arguments).errors.isEmpty, "\(arguments)")
    }
  }

  @Test("a proxy's scheme that isn't one is a mistake, and no temporary failure")
  func proxyScheme() async throws {
    let typed = try await command.run("fetch", "--proxy", "foo://u:secret@h:1", "http://a.example/")
    #expect(typed.status == 2 && typed.errors.contains("not 'foo:'"), "\(typed.errors)")
    #expect(!typed.errors.contains("secret@"), "\(typed.errors)")
    let set = try await command.run(
      arguments: ["fetch", "--no-cache", "http://a.example/"],
      environment: ["http_proxy": "foo://h:1", "no_proxy": "", "NO_PROXY": ""])
    #expect(set.status == 1 && set.errors.contains("Unsupported proxy scheme"), "\(set.errors)")
  }

  @Test("a proxy's name without an address is a mistake, and not the failure of the hosts behind it")
  func proxyName() async throws {
    let urls = (0..<20).map { "http://example.com/\($0).png\n" }.joined()
    let outcome = try await command.run(
      "pipe", "--proxy", "http://nowhere.invalid:8080", "--retries", "1", "--retry-wait", "1ms", "-o",
      "{name}.png", input: Data(urls.utf8))
    #expect(outcome.status == 1, "\(outcome.errors)")
    #expect(outcome.errors.contains("20 outputs failed at example.com: download: "), "\(outcome.errors)")
    #expect(outcome.errors.contains("; check --proxy\n"), "\(outcome.errors)")
  }

  @Test("--offline sends no request, so no address is refused")
  func offline() async throws {
    let server = try LoopbackServer(pages: [
      "/a": Page(PNGImage.bytes(width: 8, height: 6), type: "image/png")
    ])
    #expect(try await command.run("fetch", server.url("/a")).status == 0)
    server.stop()
    let job = Data("\(server.url("/a"))\n".utf8)
    let outcome = try await command.run("pipe", "--offline", "-o", "a.png", input: job)
    // What fetch has stored is another variant where the server says so; this one doesn't.
    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(command.files == ["a.png"])
  }

  @Test("a 404's page is no download")
  func summary() async throws {
    let server = try LoopbackServer(pages: [:])
    defer { server.stop() }
    let job = Data("{\"source\":\"\(server.url("/a"))\",\"output\":\"a.png\"}".utf8)
    let outcome = try await command.run("run", "--allow-net", "loopback", "-", input: job)
    #expect(outcome.status == 1)
    #expect(outcome.errors.contains("jobs 1: 1 failed; "), "\(outcome.errors)")
    #expect(!outcome.errors.contains(#/[0-9] downloads? \(/#), "\(outcome.errors)")
  }
}
