import Foundation
import LoopbackServer
import Testing

/// Records of lists that need outputs of others, or that aren't selected.
@Suite("Lists and the jobs that belong to them", .timeLimit(.minutes(8)))
struct ListDependencyTests {
  private let command: CommandRun

  init() throws {
    command = try CommandRun()
    try image("a.png", 60, 40)
  }

  private func image(_ name: String, _ width: Int, _ height: Int, seed: Int = 1) throws {
    try command.write(PNGImage.bytes(width: width, height: height, seed: seed), to: name)
  }

  private func size(_ name: String) -> [UInt8] {
    Array((command.read(name) ?? Data()).dropFirst(16).prefix(8)).enumerated().filter { $0.offset % 4 == 3 }
      .map(\.element)
  }

  private func remove(_ names: String...) {
    for name in names { unlink(command.work + "/" + name) }
  }

  // MARK: Order

  static let lists = [
    ["{\"source\":\"a.png\",\"filter\":\"fit:30x\",\"output\":\"b.png\"}"],
    ["{\"source\":\"b.png\",\"filter\":\"fit:10x\",\"output\":\"c.png\"}"],
  ]

  @Test(
    "a record waits for the output that it reads, in lists and manifests, and is made again with it",
    arguments: [
      ["l.ndjson"], ["two.ndjson", "one.ndjson"], ["two.yaml", "one.ndjson"], ["two.ndjson", "one.yaml"],
    ],
    [[], ["-C", "out"]])
  func order(manifests: [String], options: [String]) async throws {
    let (one, two) = (Self.lists[0], Self.lists[1])
    try command.write((two + one).joined(separator: "\n"), to: "l.ndjson")
    try command.write(one.joined(), to: "one.ndjson")
    try command.write(two.joined(), to: "two.ndjson")
    for (name, list) in [("one", one), ("two", two)] {
      try command.write("imagemill: 1\njobs: [\(list.joined())]\n", to: name + ".yaml")
    }
    let prefix = options.isEmpty ? "" : "out/"
    for seed in 1...3 {
      try image("a.png", 60, 40, seed: seed)
      for arguments in [["validate"] + manifests, ["plan"] + options + manifests] {
        let outcome = try await command.run(arguments: arguments)
        #expect(outcome.status == 0, "\(arguments): \(outcome.errors)")
      }
      let outcome = try await command.run(arguments: ["run"] + options + manifests)
      #expect(outcome.status == 0 && outcome.errors.contains("jobs 2: 2 done"), "\(outcome.errors)")
      #expect(size(prefix + "b.png") == [30, 20] && size(prefix + "c.png") == [10, 7])
      let check = try await command.run(arguments: ["run", "--check"] + options + manifests)
      #expect(check.status == 0, "\(check.errors)")
      try command.write(
        "imagemill: 1\njobs: [{source: a.png, filter: 'fit:30x,fit:10x', output: direct.png}]\n", to: "d.yaml"
      )
      #expect(try await command.run("run", "d.yaml").status == 0)
      #expect(command.read(prefix + "c.png") == command.read("direct.png"))
    }
  }

  @Test("a target, a part and failures of a list have what they need; a circle is a mistake")
  func selections() async throws {
    try command.write(Self.lists.reversed().joined().joined(separator: "\n"), to: "l.ndjson")
    #expect(try await command.run("run", "l.ndjson", "c.png").status == 0)
    #expect(command.read("b.png") != nil && command.read("c.png") != nil)
    remove("b.png", "c.png")
    for part in ["1/2", "2/2"] {
      #expect(try await command.run("run", "--shard", part, "l.ndjson").status == 0)
    }
    #expect(command.read("c.png") != nil)
    remove("b.png", "c.png")
    try command.write([1], to: "a.png")
    #expect(try await command.run("run", "l.ndjson").status == 1)
    try image("a.png", 60, 40)
    #expect(try await command.run("run", "l.ndjson", "--failed").status == 0)
    #expect(command.read("c.png") != nil)
    try command.write(
      "{\"source\":\"x.png\",\"output\":\"y.png\"}\n{\"source\":\"y.png\",\"output\":\"x.png\"}\n",
      to: "c.ndjson")
    let circle = try await command.run("run", "c.ndjson")
    #expect(
      circle.status == 2 && circle.errors.contains("these jobs need each other's outputs"), "\(circle.errors)"
    )
  }

  @Test(
    "rows of a table that are ordered stay among the jobs beside a list that is, and --prune keeps their outputs"
  )
  func rows() async throws {
    for name in ["b.png", "d.png"] { try image(name, 30, 20) }
    try command.write("source,w\nm.png,10\nb.png,12\n", to: "t.csv")
    try command.write(
      "imagemill: 1\njobs:\n  - {source: a.png, output: m.png}\n"
        + "  - {from: t.csv, output: 'r-{name}-{w}.png', filter: 'fit:{w}x'}\n", to: "m.yaml")
    try command.write("d.png\n", to: "l.txt")
    #expect(try await command.run("run", "-o", "l-{name}.jpg", "m.yaml", "l.txt").status == 0)
    try command.write("d.png\nm.png\n", to: "l.txt")
    for options in [[], ["--prune"], ["--force"]] {
      let outcome = try await command.run(
        arguments: ["run", "-o", "l-{name}.jpg", "m.yaml", "l.txt"] + options)
      #expect(outcome.status == 0 && outcome.errors.contains("jobs 5: 5 done"), "\(outcome.errors)")
      for name in ["r-m-10.png", "r-b-12.png", "l-d.jpg", "l-m.jpg"] {
        #expect(command.read(name) != nil, "\(name)")
      }
    }
  }

  @Test("sources follow outputs to the directory of -C once")
  func followedOnce() async throws {
    try image("b.png", 20, 10)
    try command.write(
      "imagemill: 1\njobs:\n  - {source: ./a.png, output: x.png}\n  - {source: ./b.png, output: out/x.png}\n"
        + "  - {source: ./x.png, output: c.png}\n", to: "d.yaml")
    try command.write("c.png\n", to: "l.txt")
    let outcome = try await command.run("run", "-C", "out", "-o", "{name}.webp", "d.yaml", "l.txt")
    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(size("out/c.png") == [60, 40] && size("out/out/x.png") == [20, 10])
  }

  @Test(
    "the place of a record that succeeded isn't taken by one that failed",
    arguments: ["--failed", "--shard=1/1"])
  func placeOfOther(option: String) async throws {
    try FileManager.default.createDirectory(atPath: command.work + "/x", withIntermediateDirectories: true)
    try image("x/a.png", 9, 9)
    let lines = Data("a.png\nx/a.png\n".utf8)
    let first = try await command.run(["pipe", "-o", "o/{name}.png"], input: lines)
    #expect(first.status == 1)
    let second = try await command.run(["pipe", option, "-o", "o/{name}.png"], input: lines)
    #expect(second.status != 0 && size("o/a.png") == [60, 40], "\(second.errors)")
  }

  // MARK: Selections

  @Test(
    "the source of a record that isn't selected isn't replaced",
    arguments: [["k.png"], ["--shard", "1/2"], ["--shard", "2/2"], ["--failed", "r.ndjson"]], [false, true])
  func unselected(options: [String], isPiped: Bool) async throws {
    try image("k.png", 30, 30)
    let own = command.read("k.png")
    try command.write("source,o\na.png,k\nk.png,z\n", to: "l.csv")
    try command.write(
      "{\"index\":1,\"source\":\"a.png\",\"output\":\"k.png\",\"status\":\"failed\",\"filter\":\"\",\"format\":\"png\"}\n",
      to: "r.ndjson")
    let list = isPiped ? "-" : "l.csv"
    let outcome = try await command.run(
      ["run", "-o", "{o}.png", list] + options,
      input: isPiped ? Data("source,o\nk.png,z\na.png,k\n".utf8) : Data())
    // The records belong to one part, so that the other has nothing to do.
    #expect(isPiped || outcome.status == 2 || outcome.errors.contains("nothing to do"), "\(outcome.errors)")
    #expect(command.read("k.png") == own, "\(outcome.errors)")
  }

  @Test("a target that neither a manifest nor a record makes is a mistake")
  func unknownTarget() async throws {
    try command.write("a.png\n", to: "l.txt")
    try command.write("imagemill: 1\njobs:\n  - {source: a.png, output: y.webp}\n", to: "m.yaml")
    for manifests in [["l.txt"], ["m.yaml", "l.txt"]] {
      for verb in [["run"], ["run", "--check"], ["run", "-n"]] {
        let outcome = try await command.run(
          arguments: verb + ["-o", "{name}.webp"] + manifests + ["nope.webp"])
        #expect(
          outcome.status == 2 && outcome.errors.contains("no manifest makes 'nope.webp'"),
          "\(verb) \(manifests): \(outcome.errors)")
      }
      let known = try await command.run(arguments: ["run", "-o", "{name}.webp"] + manifests + ["a.webp"])
      #expect(known.status == 0 && command.read("a.webp") != nil, "\(known.errors)")
      remove("a.webp")
    }
    let piped = try await command.run(
      ["run", "-o", "{name}.webp", "-", "nope.webp"], input: Data("a.png\n".utf8))
    #expect(piped.status == 1 && piped.errors.contains("no manifest makes 'nope.webp'"), "\(piped.errors)")
  }

  @Test("a record that was no job is among the failures once it is corrected")
  func corrected() async throws {
    let arguments = ["pipe", "--input", "csv", "-o", "{x}.webp"]
    let first = try await command.run(arguments, input: Data("source,x\na.png,1\n,2\nnope.png,3\n".utf8))
    #expect(first.status == 1)
    try image("nope.png", 9, 9)
    let corrected = "source,x\na.png,1\na.png,2\nnope.png,3\n"
    remove("1.webp")
    let second = try await command.run(arguments + ["--failed"], input: Data(corrected.utf8))
    #expect(second.status == 0, "\(second.errors)")
    #expect(command.read("2.webp") != nil && command.read("3.webp") != nil && command.read("1.webp") == nil)
    let third = try await command.run(arguments + ["--failed"], input: Data(corrected.utf8))
    #expect(third.status == 0 && third.text.isEmpty)
  }

  // MARK: Names

  @Test(
    "names that differ in the Unicode form only are different files", arguments: [["m.yaml"], ["l.ndjson"]])
  func unicode(manifests: [String]) async throws {
    let names = ["caf\u{e9}", "cafe\u{301}"]
    for (index, name) in names.enumerated() { try image(name + ".png", 10 * (index + 1), 10) }
    let records = names.enumerated().flatMap { index, name in
      [
        "{\"source\":\"\(name).png\",\"output\":\"\(index).png\"}",
        "{\"source\":\"a.png\",\"output\":\"o/\(name)-\(index).png\",\"filter\":\"overlay:\(name).png\"}",
        "{\"source\":\"\(name).png\",\"output\":\"p/\(name).png\"}",
      ]
    }
    try command.write(records.joined(separator: "\n"), to: "l.ndjson")
    try command.write("imagemill: 1\njobs: [\(records.joined(separator: ", "))]\n", to: "m.yaml")
    let outcome = try await command.run(arguments: ["run"] + manifests)
    #expect(outcome.status == 0 && outcome.errors.contains("jobs 6: 6 done"), "\(outcome.errors)")
    for (index, name) in names.enumerated() {
      #expect(size("\(index).png") == [UInt8(10 * (index + 1)), 10])
      #expect(size("p/\(name).png") == [UInt8(10 * (index + 1)), 10])
    }
    #expect(command.read("o/\(names[0])-0.png") != command.read("o/\(names[1])-1.png"))
  }

  // MARK: Several manifests

  @Test("mistakes of all manifests are reported together, also of one that is missing")
  func manifests() async throws {
    try command.write("imagemill: 1\njobs: [{source: a.png, output: x.webp, quality: high}]\n", to: "m1.yaml")
    try command.write(
      "imagemill: 1\njobs: [{source: a.png, output: y.webp, filter: 'fil:3'}]\n", to: "m2.yaml")
    for verb in ["run", "plan", "validate"] {
      let outcome = try await command.run(verb, "m1.yaml", "m2.yaml", "nofile.yaml")
      #expect(outcome.status == 2)
      for said in ["m1.yaml:2:", "m2.yaml:2:", "nofile.yaml"] {
        #expect(outcome.errors.contains(said), "\(verb): \(outcome.errors)")
      }
    }
  }

  @Test("a kept file isn't described by what was rendered for its place")
  func kept() async throws {
    try image("x.png", 30, 30)
    let outcome = try await command.run("pipe", "--json", "--no-clobber", "-o", "x.png", "a.png")
    #expect(outcome.status == 0 && outcome.text.contains("\"status\":\"kept\""), "\(outcome.text)")
    for key in ["width", "height", "bytes", "sha256"] {
      #expect(
        !outcome.text.contains("\"\(key)\":") || outcome.text.contains("\"\(key)\":null"), "\(outcome.text)")
    }
    #expect(size("x.png") == [30, 30])
  }
}
