import Foundation
import LoopbackServer
import Synchronization
import Testing

/// A catalogue: the rows of a table with each output of a matrix, and what its next runs ask for.
@Suite("Rows and outputs", .timeLimit(.minutes(8)))
struct RowTests {
  private static let rows = 40
  private let command: CommandRun
  private let server: LoopbackServer
  private let requests = Counter()

  /// Counts requests by kind.
  final class Counter: Sendable {
    private let counts = Mutex<(all: Int, conditional: Int)>((0, 0))
    func note(isConditional: Bool) {
      counts.withLock {
        $0.all += 1
        $0.conditional += isConditional ? 1 : 0
      }
    }
    /// The counts since the last call.
    func take() -> (all: Int, conditional: Int) {
      counts.withLock { counts in
        defer { counts = (0, 0) }
        return counts
      }
    }
  }

  init() throws {
    command = try CommandRun()
    let image = PNGImage.bytes(width: 64, height: 48)
    let requests = requests
    server = try LoopbackServer { request in
      let isConditional = request.field("If-None-Match") == "\"v1\""
      requests.note(isConditional: isConditional)
      guard isConditional else {
        var page = Page(image, type: "image/png")
        page.fields.append(("ETag", "\"v1\""))
        return page
      }
      return Page(text: "", type: "image/png", status: 304)
    }
    try command.write(
      """
      imagemill: 1
      base: \(server.url("/"))
      output-dir: shop
      jobs:
        - from: products.csv
          source: "img/{file}"
          outputs:
            - output: "{sku}-{width}.{ext}"
              filter: "limit:{width}x,text:{title}"
              matrix: {width: [16, 24, 32], format: [webp, jpeg]}

      """, to: "imagemill.yaml")
    try write(0..<Self.rows)
  }

  private func write(_ rows: Range<Int>, renamed: Int? = nil) throws {
    let lines = rows.map { "K\($0),\($0).png,\($0 == renamed ? "other" : "title")\n" }
    try command.write("sku,file,title\n" + lines.joined(), to: "products.csv")
  }

  private func run(_ options: String...) async throws -> CommandRun.Outcome {
    let outcome = try await command.run(arguments: ["run", "--allow-net", "loopback"] + options)
    #expect(outcome.status == 0, "\(outcome.errors)")
    return outcome
  }

  private var made: [String] { command.files.filter { $0.hasPrefix("shop/") } }

  @Test("the second run asks for each source once, conditionally; a changed row makes its outputs only")
  func catalogue() async throws {
    _ = try await run()
    #expect(made.count == Self.rows * 6)
    #expect(requests.take().all == Self.rows)
    let second = try await run()
    #expect(second.errors.contains("\(Self.rows * 6) unchanged"), "\(second.errors)")
    let asked = requests.take()
    #expect(asked.all <= Self.rows)
    #expect(asked.conditional == asked.all)
    try write(0..<Self.rows, renamed: 7)
    let third = try await run()
    #expect(third.errors.contains(" 6 written"), "\(third.errors)")
    #expect(third.errors.contains("\((Self.rows - 1) * 6) unchanged"), "\(third.errors)")
  }

  @Test("a row that is dropped has its outputs pruned, and nothing else")
  func pruning() async throws {
    _ = try await run("--prune")
    try command.write("mine", to: "shop/mine.txt")
    try write(0..<(Self.rows - 1))
    let outcome = try await run("--prune")
    #expect(outcome.errors.contains("6 removed"), "\(outcome.errors)")
    #expect(made.count == (Self.rows - 1) * 6 + 1)
    #expect(made.contains("shop/mine.txt") && !made.contains { $0.hasPrefix("shop/K\(Self.rows - 1)-") })
  }

  @Test(
    "shards share the rows out, plan counts them, and a failed row is told at its line and made again alone")
  func choosing() async throws {
    for shard in ["1/2", "2/2"] { _ = try await run("--shard", shard) }
    #expect(made.count == Self.rows * 6)
    let plan = try await command.run("plan", "--allow-net", "loopback")
    #expect(plan.text.contains("jobs \(Self.rows); outputs \(Self.rows * 6)"), "\(plan.text)")
    try command.write("sku,file,title\nA,1.png,a\nB,none.png,b\n", to: "products.csv")
    try command.write(
      "imagemill: 1\njobs:\n  - {from: products.csv, source: \"{file}\", output: \"{sku}.jpg\"}\n",
      to: "local.yaml")
    try command.write(PNGImage.bytes(width: 8, height: 8), to: "1.png")
    let failing = try await command.run("run", "--report", "r.ndjson", "local.yaml")
    #expect(failing.status == 1 && failing.errors.contains("none.png"), "\(failing.errors)")
    let report = String(decoding: try #require(command.read("r.ndjson")), as: UTF8.self)
    #expect(report.contains("products.csv") && report.contains("\"line\":3"), "\(report)")
    try command.write(PNGImage.bytes(width: 8, height: 8), to: "none.png")
    let again = try await command.run("run", "--failed", "r.ndjson", "local.yaml")
    #expect(again.status == 0 && again.errors.contains("jobs 1:"), "\(again.errors)")
  }

  @Test("a lock holds the rows' sources, and a frozen run refuses a row that it doesn't know")
  func locking() async throws {
    _ = try await run("--lock", "l.lock")
    _ = try await run("--lock", "l.lock", "--frozen")
    try write(0..<(Self.rows + 1))
    let outcome = try await command.run(
      "run", "--allow-net", "loopback", "--lock", "l.lock", "--frozen")
    #expect(outcome.status == 3 && outcome.errors.contains("img/\(Self.rows).png"), "\(outcome.errors)")
  }

  @Test("two manifests with one output and different content are found before anything starts")
  func manifests() async throws {
    for (name, width) in [("a", 4), ("b", 5)] {
      try FileManager.default.createDirectory(
        atPath: command.work + "/" + name, withIntermediateDirectories: true)
      try command.write(
        "imagemill: 1\njobs:\n  - {source: s.png, filter: \"fit:\(width)x\", output: x.png}\n",
        to: "\(name)/m.yaml")
      try command.write(PNGImage.bytes(width: 8, height: 8), to: "\(name)/s.png")
    }
    // In directories of their own they don't meet.
    let apart = try await command.run("validate", "a/m.yaml", "b/m.yaml")
    #expect(apart.status == 0, "\(apart.errors)")
    let ran = try await command.run("run", "-C", "out", "a/m.yaml", "b/m.yaml")
    #expect(
      ran.status == 2
        && ran.errors.contains("b/m.yaml:3:5: error: two outputs have the path 'x.png' (first at a/m.yaml:3)"),
      "\(ran.errors)")
    #expect(!command.files.contains("out/x.png"))
    try command.write(
      "imagemill: 1\noutput-dir: out\njobs:\n  - {source: a/x.png, filter: flip, output: x.png}\n",
      to: "c.yaml")
    try command.write(
      "imagemill: 1\noutput-dir: out\njobs:\n  - {source: a/x.png, filter: flop, output: x.png}\n",
      to: "d.yaml")
    let valid = try await command.run("validate", "c.yaml", "d.yaml")
    #expect(valid.status == 2 && valid.errors.contains("d.yaml:4:5: error: two outputs"), "\(valid.errors)")
  }

  @Test("validate tells a mistake of 500 lines of a list once")
  func sums() async throws {
    try command.write("source\n" + (1...500).map { "\($0).png\n" }.joined(), to: "c.csv")
    let outcome = try await command.run("validate", "c.csv")
    #expect(outcome.status == 2)
    #expect(outcome.errors.contains("same in 499 more lines"), "\(outcome.errors)")
    #expect(outcome.errors.split(separator: "\n").count <= 5)
  }
}
