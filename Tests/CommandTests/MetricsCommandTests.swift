import Foundation
import LoopbackServer
import Testing

@Suite("Metrics of the built command", .timeLimit(.minutes(8)))
struct MetricsCommandTests {
  private let command: CommandRun
  private let server: LoopbackServer

  init() throws {
    command = try CommandRun()
    let image = PNGImage.bytes(width: 40, height: 30)
    server = try LoopbackServer { request in
      request.path.contains("none")
        ? .notFound : Page(image, type: "image/png", fields: [("Cache-Control", "max-age=1000")])
    }
  }

  private func value(_ sample: String) throws -> Double? {
    let text = String(decoding: try #require(command.read("stats/imagemill.prom")), as: UTF8.self)
    return text.split(separator: "\n").first { $0.hasPrefix(sample + " ") }
      .flatMap { Double($0.split(separator: " ").last ?? "") }
  }

  @Test("run writes what was downloaded, rendered, found and failed; a second run what was spared")
  func run() async throws {
    try command.write(
      """
      imagemill: 1
      base: \(server.url("/"))
      jobs:
        - source: a.png
          outputs:
            - {output: "a-{width}.webp", filter: "scale:{width}x8", matrix: {width: [8, 16]}}
        - {source: none.png, output: b.webp}

      """, to: "m.yaml")
    let arguments = ["run", "-q", "--allow-net", "loopback", "--metrics", "stats/imagemill.prom", "m.yaml"]
    #expect(try await command.run(arguments: arguments).status == 1)
    #expect(try value("imagemill_run_finished") == 1)
    #expect(try value("imagemill_jobs_total{result=\"done\"}") == 1)
    #expect(try value("imagemill_jobs_total{result=\"failed\"}") == 1)
    #expect(try value("imagemill_jobs_pending") == 0)
    #expect(try value("imagemill_outputs_total{status=\"written\"}") == 2)
    #expect(try value("imagemill_failures_total{code=\"http-status\",stage=\"download\"}") == 1)
    #expect(try #require(try value("imagemill_download_bytes_total")) > 0)
    #expect(try #require(try value("imagemill_workers")) >= 1)
    #expect(try value("imagemill_renders_total") == 1)
    #expect(try value("imagemill_output_duration_seconds_count") == 3)
    #expect(try await command.run(arguments: arguments).status == 1)
    #expect(try value("imagemill_hits_total{kind=\"output\"}") == 2)
    #expect(try value("imagemill_hits_total{kind=\"fresh\"}") == 1)
    #expect(try value("imagemill_renders_total") == 0)
  }

  @Test("pipe writes them too; a file that can't be written is a failure, and the results are there")
  func pipe() async throws {
    let lines = Data("\(server.url("/a.png"))\n\(server.url("/b.png"))\n".utf8)
    let common = ["pipe", "-q", "--allow-net", "loopback", "-o", "{name}.webp", "--metrics"]
    let good = try await command.run(arguments: common + ["stats/imagemill.prom"], input: lines)
    #expect(good.status == 0, "\(good.errors)")
    #expect(try value("imagemill_jobs_total{result=\"done\"}") == 2)
    let full = try await command.run(arguments: common + ["/dev/full"], input: lines)
    #expect(full.status == 2)
    #expect(full.errors.contains("can't write the metrics file '/dev/full'"), "\(full.errors)")
  }

  @Test("a report, markup and events make the directories that are missing")
  func directories() async throws {
    try command.write(PNGImage.bytes(width: 40, height: 30), to: "a.png")
    try command.write("imagemill: 1\njobs:\n  - {source: ./a.png, output: x.webp}\n", to: "m.yaml")
    let outcome = try await command.run(
      "run", "-q", "-C", "public", "--report", "public/r/r.html", "--emit", "srcset=public/e/x.html", "m.yaml"
    )
    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(
      command.files == ["a.png", "m.yaml", "public/e/x.html", "public/r/r.html", "public/x.webp"])
    let single = try await command.run("convert", "a.png", "deep/er/b.webp")
    #expect(single.status == 0, "\(single.errors)")
    #expect(command.read("deep/er/b.webp") != nil)
  }
}
