import Foundation
import LoopbackServer
import TestSupport
import Testing

/// What was fetched with credentials, and all that is made from it, never leaves the machine.
@Suite("Private images and a remote cache in a bucket", .timeLimit(.minutes(8)))
struct RemoteObjectCachePrivacyTests {
  private let bucket: RemoteBucket
  private var server: ObjectServer { bucket.server }

  init() throws {
    bucket = try RemoteBucket()
    server.put(PNGImage.bytes(width: 30, height: 20, seed: 1), at: "/photos/a.png")
  }

  private func run(_ machine: CommandRun, _ options: String..., manifest: String) async throws {
    try machine.write(manifest, to: "m.yaml")
    let outcome = try await machine.run(
      arguments: [
        "run", "--allow-net", "loopback", "--remote-cache", RemoteBucket.address, "-C", "out", "m.yaml",
      ] + options, environment: bucket.environment)
    #expect(outcome.status == 0, "\(outcome.errors)")
  }

  @Test(
    "outputs of objects that were read with credentials stay on the machine",
    arguments: ["source", "overlay"])
  func privateSources(kind: String) async throws {
    defer { server.stop() }
    let machine = try CommandRun()
    try machine.write(PNGImage.bytes(width: 30, height: 20, seed: 2), to: "local.png")
    let manifest = """
      imagemill: 1
      sources: {mark: "s3://photos/a.png"}
      jobs:
        - {source: "\(kind == "source" ? "s3://photos/a.png" : "local.png")", \
      filter: "\(kind == "source" ? "fit:9x9" : "overlay:mark")", output: b.png}
      """
    // The second time, the source is in the cache.
    for _ in 0..<2 { try await run(machine, "--force", manifest: manifest) }
    #expect(!server.requests(of: "/photos/a.png").isEmpty)
    #expect(server.server.requests.allSatisfy { $0.method == "GET" && $0.path == "/photos/a.png" })
  }

  @Test(
    "so do outputs of jobs that read such an output, whether it is made or in place",
    arguments: ["source: ./b.png, filter: flip", "source: ./local.png, filter: 'overlay:./out/b.png'"])
  func laterJobs(job: String) async throws {
    defer { server.stop() }
    let machine = try CommandRun()
    try machine.write(PNGImage.bytes(width: 30, height: 20, seed: 2), to: "local.png")
    for (round, filter) in ["invert", "blur:2", "sepia"].enumerated() {
      try await run(
        machine,
        manifest: """
          imagemill: 1
          jobs:
            - {source: "s3://photos/a.png", filter: "fit:9x9", output: b.png}
            - {\(job), output: c.png}
            - {source: ./c.png, filter: "\(filter)", output: d.png}
            - {source: ./local.png, filter: "\(filter)", output: e.png}

          """)
      // Only what is made from the local file.
      #expect(server.count("PUT") == 2 * (round + 1), "\(server.objects.keys)")
    }
  }
}
