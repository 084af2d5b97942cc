import Foundation
import LoopbackServer
import Testing

@Suite("renditions that are kept for later runs", .timeLimit(.minutes(8)))
struct RenditionTests {
  private let command: CommandRun
  private let server: LoopbackServer

  init() throws {
    command = try CommandRun()
    server = try LoopbackServer(pages: [
      "/a.png": Page(PNGImage.bytes(width: 600, height: 400, seed: 3), type: "image/png")
    ])
  }

  private func run(_ outputs: [(String, String)], _ options: String...) async throws -> [String: Any] {
    let lines = outputs.map {
      "  - {source: \"\(server.url("/a.png"))\", filter: \"\($0.0)\", output: \($0.1)}\n"
    }
    try command.write("imagemill: 1\njobs:\n" + lines.joined(), to: "m.yaml")
    let arguments = ["run", "--allow-net", "loopback", "--report", "r.json"] + options + ["m.yaml"]
    let outcome = try await command.run(arguments)
    #expect(outcome.status == 0, "\(outcome.errors)")
    let report = try #require(command.read("r.json"))
    let json = try #require(try JSONSerialization.jsonObject(with: report) as? [String: Any])
    return try #require(json["summary"] as? [String: Any])
  }

  @Test("an output that is added costs its last steps only, and has the bytes that it would have alone")
  func addedOutput() async throws {
    let first = [("fill:200x200,blur:3", "a.png")]
    let added = [
      ("fill:200x200,blur:3", "a.webp"), ("fill:200x200,blur:3,circle", "b.png"),
      ("fill:200x200,sepia", "c.jpg"),
    ]
    #expect(try await run(first, "--cache-intermediates", "always")["decodes"] as? Int == 1)
    let second = try await run(first + added, "--cache-intermediates", "always")
    #expect(second["decodes"] as? Int == 0)
    #expect(second["renderings"] as? Int == 3)
    #expect(second["renditionsReused"] as? Int == 2, "what two chains begin with, and what one ends with")
    let together = added.map { command.read($0.1) }
    #expect(together.allSatisfy { $0 != nil })
    for (index, output) in added.enumerated() {
      try FileManager.default.removeItem(atPath: command.work + "/" + output.1)
      let alone = try await run([output], "--no-cache")
      #expect(alone["decodes"] as? Int == 1)
      #expect(command.read(output.1) == together[index], "\(output)")
    }
  }

  @Test("never keeps none, and auto keeps what costs more to make than to read")
  func policies() async throws {
    // The median of 49 numbers for each of 1.5 million pixels takes longer than reading 1,200 bytes on any machine.
    let chain = "scale:1500x1000,median:7,fill:20x20"
    let first = [(chain, "a.png")]
    let second = first + [(chain, "a.webp")]
    _ = try await run(first, "--cache-intermediates", "never")
    #expect(try await run(second, "--cache-intermediates", "never")["decodes"] as? Int == 1)
    try FileManager.default.removeItem(atPath: command.directory + "/cache")
    _ = try await run(first)
    #expect(try await run(second)["decodes"] as? Int == 0)
  }

  @Test("--force makes everything again, from the source")
  func force() async throws {
    let output = [("fill:20x20,blur:1", "a.png")]
    _ = try await run(output, "--cache-intermediates", "always")
    #expect(try await run(output, "--cache-intermediates", "always", "--force")["decodes"] as? Int == 1)
  }

  @Test("a rendition that was damaged on disk is dropped and made again")
  func damaged() async throws {
    let first = [("fill:200x200,blur:3", "a.png")]
    _ = try await run(first, "--cache-intermediates", "always")
    let objects = command.directory + "/cache/objects"
    let files = try #require(FileManager.default.enumerator(atPath: objects)).allObjects.compactMap {
      $0 as? String
    }
    var damaged = 0
    for file in files {
      let path = objects + "/" + file
      guard var data = FileManager.default.contents(atPath: path),
        data.starts(with: [0xb6, 0xa6, 0xf2, 0x08])
          || data.starts(with: [0x08, 0xf2, 0xa6, 0xb6])
      else { continue }
      data[data.count / 2] ^= 0x55
      try data.write(to: URL(fileURLWithPath: path))
      damaged += 1
    }
    #expect(damaged == 2, "after the resize, and at the end")
    let second = try await run(first + [("fill:200x200,blur:3", "b.png"), ("fill:200x200,blur:3", "a.webp")])
    #expect(second["decodes"] as? Int == 1)
    let alone = try await run([("fill:200x200,blur:3", "c.webp")], "--no-cache")
    #expect(alone["decodes"] as? Int == 1)
    #expect(command.read("a.webp") == command.read("c.webp"))
  }

  @Test("renditions are the first to go when the cache is full")
  func purge() async throws {
    _ = try await run([("fill:200x200,blur:3", "a.png")], "--cache-intermediates", "always")
    let before = try await command.run("cache", "list")
    let purged = try await command.run("cache", "purge", "--to", "800kB")
    #expect(purged.status == 0)
    let after = try await command.run("cache", "list")
    #expect(before.lines.count == 4)
    #expect(after.lines.count == 2, "the source and the output: \(after.text)")
    #expect(after.text.contains("/a.png"))
  }
}

@Suite("what the cache has spared", .timeLimit(.minutes(8)))
struct SavingsTests {
  @Test("cache stats counts hits by kind, with what they spared")
  func savings() async throws {
    let command = try CommandRun()
    let image = PNGImage.bytes(width: 60, height: 40)
    let server = try LoopbackServer(pages: [
      "/a.png": Page(image, type: "image/png", fields: [("Cache-Control", "max-age=600")])
    ])
    func run(_ format: String) async throws {
      let job = "{\"source\":\"\(server.url("/a.png"))\",\"filter\":\"fit:20x20\",\"output\":\"a.\(format)\"}"
      let outcome = try await command.run(
        "run", "--allow-net", "loopback", "--cache-intermediates", "always", "-", input: Data(job.utf8))
      #expect(outcome.status == 0, "\(outcome.errors)")
    }
    try await run("png")
    try await run("png")
    try FileManager.default.removeItem(atPath: command.work + "/a.png")
    try await run("png")
    try await run("webp")
    let outcome = try await command.run("cache", "stats", "--json")
    let json = try #require(try JSONSerialization.jsonObject(with: outcome.output) as? [String: Any])
    let savings = try #require(json["savings"] as? [String: [String: Any]])
    #expect(savings["response"]?["hits"] as? Int == 3)
    #expect(savings["response"]?["bytes"] as? Int == 3 * image.count)
    #expect(savings["output"]?["hits"] as? Int == 1)
    #expect(savings["stored"]?["hits"] as? Int == 1)
    #expect(savings["stored"]?["seconds"] as? Double ?? 0 > 0)
    #expect(savings["rendition"]?["hits"] as? Int == 1)
    #expect(json["outputs"] as? Int == 2 && json["renditions"] as? Int == 1)
  }
}
