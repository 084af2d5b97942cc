import Foundation
import LoopbackServer
import Glibc
import TestSupport
import Testing

/// Outputs in object storage, through the built command.
@Suite("Outputs in object storage", .timeLimit(.minutes(8)))
struct ObjectDestinationTests: ObjectStorageSuite {
  let command: CommandRun
  let server: ObjectServer

  init() throws {
    command = try CommandRun()
    server = try ObjectServer()
  }

  @Test("pipe uploads outputs with their type, key and digest, and a second run uploads nothing")
  func pipe() async throws {
    defer { server.stop() }
    addSources(30)
    let arguments = [
      "pipe", "-q", "-f", "limit:4x", "-o", "s3://out/thumbs/{name}.webp", "--s3-header",
      "Cache-Control: max-age=60", "--s3-header", "x-amz-meta-album: spring",
    ]
    let first = try await command.run(
      arguments: arguments, input: Data(sources(30).utf8), environment: environment)
    #expect(first.status == 0, "\(first.errors)")
    #expect(Set(first.lines) == Set((0..<30).map { "s3://out/thumbs/\($0).webp" }))
    #expect(outputs.count == 30)
    for (path, object) in outputs {
      #expect(
        object.fields["content-type"] == "image/webp" && object.body.starts(with: "RIFF".utf8), "\(path)")
      #expect(object.fields["cache-control"] == "max-age=60" && object.fields["x-amz-meta-album"] == "spring")
      #expect(object.fields["x-amz-meta-imagemill-key"]?.utf8.count == 64)
    }
    let count = server.server.requests.count
    let second = try await command.run(
      arguments: arguments, input: Data(sources(30).utf8), environment: environment)
    #expect(second.status == 0 && Set(second.lines) == Set(first.lines), "\(second.errors)")
    let later = requests(after: count)
    #expect(later.allSatisfy { $0.method == "HEAD" || $0.target.contains("list-type=2") })
    #expect(later.count { $0.target.contains("list-type=2") } == 1)
    #expect(later.count { $0.method == "HEAD" } <= 20)
    // Another machine knows by the metadata, and renders nothing.
    let other = try CommandRun()
    let puts = server.count("PUT")
    let third = try await other.run(
      arguments: arguments + ["--report", "r.json"], input: Data(sources(30).utf8), environment: environment)
    #expect(third.status == 0 && server.count("PUT") == puts, "\(third.errors)")
    let report = try JSONSerialization.jsonObject(with: other.read("r.json") ?? Data()) as? [String: Any]
    let summary = report?["summary"] as? [String: Any]
    #expect(summary?["outputsUnchanged"] as? Int == 30 && summary?["renderings"] as? Int == 0)
  }

  @Test("run -C, --check, --why, plan and reports work with a bucket; an edited object is made again")
  func run() async throws {
    defer { server.stop() }
    addSources(2)
    try command.write(
      """
      imagemill: 1
      jobs:
        - {source: "s3://in/0.png", output: "a/x.png"}
        - {source: "s3://in/1.png", filter: "limit:3x", output: "b//./y.webp"}
      """, to: "m.yaml")
    let arguments = ["m.yaml", "-C", "s3://out/site"]
    func run(_ more: String...) async throws -> CommandRun.Outcome {
      try await command.run(arguments: more + arguments, environment: environment)
    }
    #expect(try await run("run", "--check").status == 3)
    #expect(outputs.isEmpty)
    let made = try await run("run", "-v", "--report", "r.html", "--report", "r.json", "--durability", "safe")
    #expect(made.status == 0, "\(made.errors)")
    #expect(Set(outputs.keys) == ["/out/site/a/x.png", "/out/site/b/y.webp"])
    #expect(
      String(decoding: command.read("r.json") ?? Data(), as: UTF8.self).contains("s3://out/site/a/x.png"))
    #expect(command.files == ["m.yaml", "r.html", "r.json"])
    let checked = try await run("run", "--check")
    #expect(checked.status == 0, "\(checked.errors)")
    #expect(try await run("plan").text.contains("up to date"))
    server.put(Array("other".utf8), at: "/out/site/a/x.png")
    let differs = try await run("run", "--check")
    #expect(differs.status == 3 && differs.errors.contains("s3://out/site/a/x.png"), "\(differs.errors)")
    let why = try await run("run", "--why")
    #expect(why.status == 0 && why.errors.contains("s3://out/site/a/x.png: "), "\(why.errors)")
    #expect(outputs["/out/site/a/x.png"]?.body.count != 5)
    let explained = try await command.run(
      arguments: ["cache", "explain", "s3://out/site/a/x.png"], environment: environment)
    #expect(explained.status == 0 && explained.text.contains("in object storage"), "\(explained.errors)")
  }

  @Test("every special key round-trips")
  func keys() async throws {
    defer { server.stop() }
    addSources(1)
    let long = String(repeating: "k", count: 990) + "/l"
    for key in [
      "a b+c=d@e'f(g)h:i&j%k", "ü", "%41%20", "a//b", "../up", "x/../y", "*$!,;?#~", "日本/語", long,
    ] {
      let path = "/out/" + key + ".png"
      let outcome = try await run("convert", "s3://in/0.png", "s3://out/\(key).png")
      #expect(outcome.status == 0, "\(key): \(outcome.errors)")
      #expect(server.objects[path]?.fields["content-type"] == "image/png", "\(key)")
      #expect(server.server.requests.last { $0.method == "PUT" }?.field("x-amz-checksum-sha256") != nil)
      // The same key as a source.
      let read = try await run("inspect", "s3://out/\(key).png")
      #expect(read.status == 0, "\(key): \(read.errors)")
    }
  }

  @Test("a manifest can't choose a bucket, nor leave the prefix, without permission")
  func permission() async throws {
    defer { server.stop() }
    addSources(1)
    for output in ["s3://out/x.png", "../x.png"] {
      try command.write(
        "imagemill: 1\njobs: [{source: \"s3://in/0.png\", output: \"\(output)\"}]\n", to: "m.yaml")
      let outcome = try await run("run", "-C", "s3://out/site", "m.yaml")
      #expect(
        outcome.status == 2 && outcome.errors.contains("outside the output directory"), "\(outcome.errors)")
    }
    #expect(server.server.requests.isEmpty)
    try command.write(
      "imagemill: 1\njobs: [{source: \"s3://in/0.png\", output: \"s3://out/x.png\"}]\n", to: "m.yaml")
    let allowed = try await run("run", "--allow-outside", "m.yaml")
    #expect(allowed.status == 0 && outputs.keys.contains("/out/x.png"), "\(allowed.errors)")
  }

  @Test(
    "what doesn't work with objects is refused before anything starts",
    arguments: [
      (["run", "-C", "s3://out", "--prune"], "--prune removes only files"),
      (["run", "-C", "s3://out", "--lock", "l"], "--lock compares files"),
      (["run", "-C", "s3://out", "--offline"], "--offline sends no request"),
      (["run", "-C", "s3://out", "--offline", "--check"], "--offline sends no request"),
      (["run", "-C", "s3://out", "--offline", "--dry-run"], "--offline sends no request"),
      (["plan", "-C", "s3://out", "--offline"], "--offline sends no request"),
      (["run", "-C", "s3://o:t"], "letters, digits"), (["run", "-C", "s3://"], "no bucket"),
      (["run", "-C", "s3://out", "--s3-header", "Host: a"], "can't set Host"),
      (["run", "-C", "s3://out", "--s3-header", "a"], "a header must be"),
      (["pipe", "-o", "s3://{name}/a.png"], "no bucket"), (["pipe", "-o", "s3://out"], "followed by a key"),
      (["pipe", "-o", "s3://out/{name}.png", "--emit", "srcset=a.html"], "--emit needs"),
      (["pipe", "-o", "s3://out/{name}.png", "--offline"], "--offline sends no request"),
    ])
  func refusals(arguments: [String], words: String) async throws {
    defer { server.stop() }
    try command.write("imagemill: 1\njobs: [{source: \"s3://in/0.png\", output: \"a.png\"}]\n", to: "m.yaml")
    let outcome = try await command.run(
      arguments: arguments + (arguments[0] == "pipe" ? [] : ["m.yaml"]), environment: environment)
    #expect(outcome.status == 2 && outcome.errors.contains(words), "\(outcome.errors)")
    #expect(server.server.requests.isEmpty)
  }

  @Test("an output that is a source of the run is refused, and --no-clobber keeps others' objects")
  func protection() async throws {
    defer { server.stop() }
    addSources(2)
    try command.write(
      """
      imagemill: 1
      jobs:
        - {source: "s3://in/0.png", filter: "limit:3x", output: "1.png"}
        - {source: "s3://in/1.png", output: "2.png"}
      """, to: "m.yaml")
    let refused = try await run("run", "-C", "s3://in", "m.yaml")
    #expect(refused.status == 2 && refused.errors.contains("--in-place"), "\(refused.errors)")
    #expect(server.count("PUT") == 0)
    server.put(Array("mine".utf8), at: "/out/1.png")
    let kept = try await run("run", "--no-clobber", "-C", "s3://out", "m.yaml")
    #expect(kept.status == 0 && kept.errors.contains("s3://out/1.png is kept"), "\(kept.errors)")
    #expect(outputs["/out/1.png"]?.body == Array("mine".utf8) && outputs["/out/2.png"] != nil)
    let conditions = server.server.requests.filter { $0.method == "PUT" }.map { $0.field("If-None-Match") }
    #expect(conditions == ["*"])
  }

  @Test(
    "an object that a line names as its source isn't replaced",
    arguments: [
      "pipe -o s3://in/{name}.png", "pipe -C s3://in -o {name}.png", "run - -C s3://in -o {name}.png",
    ])
  func listedSources(line: String) async throws {
    defer { server.stop() }
    addSources(2)
    let outcome = try await command.run(
      arguments: line.split(separator: " ").map(String.init) + ["-f", "limit:3x"],
      input: Data(sources(2).utf8), environment: environment)
    #expect(outcome.status == 1 && outcome.errors.contains("would replace a source"), "\(outcome.errors)")
    #expect(server.count("PUT") == 0)
  }

  @Test("an object over its own source is a mistake that 'validate' reports too, by address")
  func ownObject() async throws {
    defer { server.stop() }
    try command.write(
      """
      imagemill: 1
      jobs:
        - {source: "s3://in/0.png", filter: "limit:3x", output: "s3://in/{name}.png"}
        - {source: "s3://in/1.png", filter: "limit:3x", output: "s3://in/2.png"}
      """, to: "m.yaml")
    for name in ["validate", "run"] {
      let outcome = try await run(name, "--allow-outside", "m.yaml")
      #expect(outcome.status == 2, "\(name): \(outcome.errors)")
      #expect(
        outcome.errors.contains("m.yaml:3:") && outcome.errors.contains("--in-place"), "\(outcome.errors)")
      #expect(!outcome.errors.contains("m.yaml:4:"), "\(outcome.errors)")
    }
    #expect(server.count("PUT") == 0)
    try command.write("source\ns3://in/0.png\n", to: "l.csv")
    for name in ["validate", "run"] {
      let outcome = try await run(name, "-o", "s3://in/{name}.png", "l.csv")
      #expect(
        outcome.status == 2 && outcome.errors.contains("l.csv:2:1: error: "), "\(name): \(outcome.errors)")
    }
    #expect(server.count("PUT") == 0)
  }
}
