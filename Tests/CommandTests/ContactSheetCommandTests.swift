import Foundation
import LoopbackServer
import Testing

@Suite("The contact sheet of the built command", .timeLimit(.minutes(8)))
struct ContactSheetCommandTests {
  private let command: CommandRun

  init() throws {
    command = try CommandRun()
    for name in ["a.png", "b.png"] { try command.write(PNGImage.bytes(width: 40, height: 30), to: name) }
  }

  private func page(_ arguments: String...) async throws -> String {
    let outcome = try await command.run(arguments: ["run", "-q", "--report", "r.html"] + arguments)
    #expect(outcome.status == 0, "\(outcome.errors)")
    return String(decoding: try #require(command.read("r.html")), as: UTF8.self)
  }

  private func chains(_ html: String) -> [String] {
    html.matches(of: /<p class="filter"><code>([^<]*)<\/code>/).map { String($0.output.1) }
  }

  @Test func `chains are shown as the manifest has them`() async throws {
    try command.write(
      """
      imagemill: 1
      sources:
        logo: a.png
      filters:
        avatar: fill:16x16,circle
      jobs:
        - {source: a.png, filter: avatar, output: 1.png}
        - {source: a.png, filter: "fill:{width}x20", output: "2-{width}.png", matrix: {width: [10, 20]}}
        - {source: b.png, filter: [avatar, "blur:1"], output: 3.png}
        - {source: b.png, filter: {fit: {width: 8, height: 6}, circle: {}}, output: 4.png}
        - {source: b.png, output: 5.png}
        - {source: b.png, filter: "overlay:logo", output: 6.png}

      """, to: "m.yaml")
    let written = ["avatar", "fill:{width}x20", "fill:{width}x20", "avatar,blur:1"]
    let html = try await page("m.yaml")
    #expect(chains(html) == written + ["fit:width=8:height=6,circle", "overlay:logo"])
    #expect(html.contains("<summary>the chain in full</summary><code>fill:size=16x16:"))
    let longer = try await page("m.yaml", "-f", "sepia")
    #expect(chains(longer).prefix(1) == ["avatar,sepia"] && chains(longer).contains("sepia"))
  }

  @Test func `a file is compared with its output by paths that the page can open`() async throws {
    try command.write(
      "imagemill: 1\njobs:\n  - {source: a.png, output: out/a.png}\n", to: "m.yaml")
    let html = try await page("m.yaml")
    #expect(html.contains("data-before=\"a.png\"") && html.contains("src=\"out/a.png\""))
  }

  @Test func `a report is compared with that of an earlier run`() async throws {
    try command.write(
      "imagemill: 1\njobs:\n  - {source: a.png, output: x.png}\n  - {source: b.png, output: y.png}\n",
      to: "m.yaml")
    _ = try await page("--report", "first.ndjson", "--report", "first.json", "m.yaml")
    try command.write(
      """
      imagemill: 1
      jobs:
        - {source: a.png, filter: "scale:8x6", output: x.png}
        - {source: b.png, output: z.png}

      """, to: "m.yaml")
    for earlier in ["first.ndjson", "first.json"] {
      let html = try await page("--compare", earlier, "m.yaml")
      #expect(html.contains("Compared with \(earlier): 1 new, 1 changed ("), "\(earlier)")
      #expect(html.contains("1 not in this report</p>") && html.contains("<li>y.png</li>"))
    }
  }

  @Test func `an earlier report that can't be used is refused before anything starts`() async throws {
    try command.write("imagemill: 1\njobs:\n  - {source: a.png, output: x.png}\n", to: "m.yaml")
    for (arguments, expected) in [
      (["--report", "r.html", "--compare", "none.ndjson"], "can't read the report 'none.ndjson'"),
      (["--report", "r.html", "--compare", "m.yaml"], "it isn't a .json or .ndjson report"),
      (["--report", "r.json", "--compare", "r.json"], "--compare needs --report FILE.html"),
    ] {
      let outcome = try await command.run(arguments: ["run"] + arguments + ["m.yaml"])
      #expect(outcome.status == 2 && outcome.errors.contains(expected), "\(outcome.errors)")
      #expect(command.read("x.png") == nil)
    }
  }
}
