import Foundation
import LoopbackServer
import Testing

@Suite("what is asked for is what is accepted", .timeLimit(.minutes(8)))
struct AcceptedTypeTests {
  private let command: CommandRun
  private static let svg =
    "<svg xmlns='http://www.w3.org/2000/svg' width='8' height='6'><rect width='4' height='6'/></svg>"

  init() throws { command = try CommandRun() }

  @Test("--allow-format lets an SVG in under its own type, and Accept asks for it")
  func allowFormat() async throws {
    let server = try LoopbackServer(pages: ["/a": Page(text: Self.svg, type: "image/svg+xml")])
    defer { server.stop() }
    let refused = try await command.run("convert", "--no-cache", server.url("/a"), "a.png")
    #expect(refused.status == 1 && refused.errors.contains("--allow-format svg"), "\(refused.errors)")
    #expect(server.requests.last?.field("Accept")?.contains("svg") == false)
    for arguments in [
      ["convert", "--no-cache", "--allow-format", "svg", server.url("/a"), "a.png"],
      ["inspect", "--no-cache", "--allow-format", "pdf,SVG", server.url("/a")],
      ["pipe", "--no-cache", "--allow-net", "loopback", "--allow-format", "svg", "-o", "b.png"],
    ] {
      let outcome = try await command.run(arguments: arguments, input: Data("\(server.url("/a"))\n".utf8))
      #expect(
        outcome.status == 0 && outcome.errors.contains("warning") == false,
        "\(arguments[0]): \(outcome.errors)")
      #expect(server.requests.last?.field("Accept")?.contains("image/svg+xml") == true, "\(arguments[0])")
    }
    #expect(command.files == ["a.png", "b.png"])
  }

  @Test("fetch asks for the same types, so that what varies with Accept is cached for other commands")
  func fetchedForLater() async throws {
    let image = Page(
      PNGImage.bytes(width: 8, height: 6), type: "image/png",
      fields: [("Vary", "Accept"), ("Cache-Control", "max-age=1000")])
    let server = try LoopbackServer(pages: ["/a": image])
    defer { server.stop() }
    #expect(try await command.run("fetch", server.url("/a")).status == 0)
    let outcome = try await command.run("convert", "--offline", server.url("/a"), "a.png")
    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(server.requests.count == 1)
    let typed = try await command.run("fetch", "--no-cache", "-H", "Accept: text/html", server.url("/a"))
    #expect(typed.status == 0 && server.requests.last?.field("Accept") == "text/html")
  }

  @Test("--accept-type adds a type to Accept, and what isn't one is refused")
  func acceptType() async throws {
    let server = try LoopbackServer(pages: [
      "/a": Page(PNGImage.bytes(width: 8, height: 6), type: "image/x-foo")
    ])
    defer { server.stop() }
    let outcome = try await command.run(
      "inspect", "--no-cache", "--accept-type", "image/x-foo", "--accept-type", "Image/X-Bar",
      server.url("/a"))
    #expect(outcome.status == 0 && outcome.errors.isEmpty, "\(outcome.errors)")
    let accept = server.requests.last?.field("Accept")?.split(separator: ",") ?? []
    #expect(accept.contains("image/x-foo") && accept.contains("image/x-bar") && accept == accept.sorted())
    for wrong in ["image", "image/", "/png", "image/x;q=1", "image/a/b", "*"] {
      #expect(try await command.run("inspect", "--accept-type", wrong, "a.png").status == 2, "\(wrong)")
    }
  }

  @Test(
    "a content coding that wasn't requested is named, also of a cached response",
    arguments: ["gzip", "br", "deflate"])
  func contentCoding(name: String) async throws {
    let body: [UInt8] = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3, 1, 0, 0, 0xff, 0xff, 0, 0, 0, 0, 0, 0, 0, 0]
    let server = try LoopbackServer(pages: [
      "/a": Page(
        body, type: "image/png", fields: [("Content-Encoding", name), ("Cache-Control", "max-age=1000")])
    ])
    defer { server.stop() }
    let said = "'Content-Encoding: \(name)', which wasn't requested"
    let direct = try await command.run("convert", server.url("/a"), "a.png")
    #expect(direct.status == 1 && direct.errors.contains(said), "\(direct.errors)")
    #expect(try await command.run("fetch", server.url("/a")).status == 0)
    for option in ["--quiet", "--offline"] {
      let cached = try await command.run("convert", option, server.url("/a"), "a.png")
      #expect(cached.status == 1 && cached.errors.contains(said), "\(cached.errors)")
    }
    // The origin is asked again, since it may send the image itself now; offline it isn't.
    #expect(server.requests.count == 3)
  }

  @Test("what varies with everything is never used again, nor validated")
  func variesWithAll() async throws {
    let image = Page(
      PNGImage.bytes(width: 8, height: 6), type: "image/png",
      fields: [("Vary", "*"), ("ETag", "\"x\""), ("Cache-Control", "max-age=1000")])
    let server = try LoopbackServer(pages: ["/a": image])
    defer { server.stop() }
    for _ in 0..<2 { #expect(try await command.run("fetch", server.url("/a")).status == 0) }
    #expect(server.requests.count == 2)
    #expect(server.requests.allSatisfy { $0.field("If-None-Match") == nil })
  }

  @Test("an image under a wrong label is read, and the warning names the label")
  func wrongLabel() async throws {
    let server = try LoopbackServer(pages: [
      "/a": Page(PNGImage.bytes(width: 8, height: 6), type: "text/html; charset=utf-8")
    ])
    defer { server.stop() }
    for arguments in [
      ["convert", "--no-cache", server.url("/a"), "a.png"], ["inspect", "--no-cache", server.url("/a")],
      ["pipe", "--no-cache", "--allow-net", "loopback", "-o", "b.png"],
    ] {
      let outcome = try await command.run(arguments: arguments, input: Data("\(server.url("/a"))\n".utf8))
      #expect(outcome.status == 0, "\(arguments[0]): \(outcome.errors)")
      #expect(
        outcome.errors.contains("the server says 'text/html', but the image is png"),
        "\(arguments[0]): \(outcome.errors)")
      #expect(outcome.errors.contains(server.url("/a")))
    }
  }
}
