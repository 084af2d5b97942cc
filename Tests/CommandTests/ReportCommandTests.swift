import Foundation
import FoundationXML
import LoopbackServer
import Synchronization
import Testing

@Suite("Reports of the built command", .timeLimit(.minutes(8)))
struct ReportCommandTests {
  private let command: CommandRun
  private let picture = PNGImage.bytes(width: 40, height: 30)

  init() throws { command = try CommandRun() }

  private func manifest(_ jobs: [String]) throws {
    try command.write("imagemill: 1\njobs:\n" + jobs.map { "  - \($0)\n" }.joined(), to: "m.yaml")
  }

  /// A YAML string that stands for any text.
  private static func quoted(_ text: String) -> String {
    "\""
      + text.unicodeScalars.map { scalar in
        let digits = String(scalar.value, radix: 16)
        return "\\U" + String(repeating: "0", count: 8 - digits.count) + digits
      }.joined() + "\""
  }

  private func read(_ name: String) throws -> Data { try #require(command.read(name)) }

  private func object(_ name: String) throws -> [String: Any] {
    try #require(JSONSerialization.jsonObject(with: read(name)) as? [String: Any])
  }

  private func lines(_ name: String) throws -> [[String: Any]] {
    try read(name).split(separator: UInt8(ascii: "\n")).map { line in
      try #require(JSONSerialization.jsonObject(with: line) as? [String: Any])
    }
  }

  @Test("what failed is run again from the report, and nothing else, whatever its name")
  func failedAgain() async throws {
    let names = [
      "a\"><script>alert(1)&lt;!--.png", "line\nbreak.png", "tab\tquote'.png", "猫🏖️é.png",
      "e\u{301}\u{202E}gnp.png",
      "back\\slash %41,{x}.png", "{\"status\":\"failed\"}.png",
    ]
    let good = Set(names.indices.filter { $0 % 2 == 0 })
    for (index, name) in names.enumerated() {
      try command.write(good.contains(index) ? picture : Array("no image".utf8), to: name)
    }
    let (isMended, picture) = (Flag(), picture)
    let server = try LoopbackServer { request in
      request.path == "/late.png" && !isMended.isRaised ? .notFound : Page(picture, type: "image/png")
    }
    try manifest(
      names.map { name in
        let output = "out/" + name.replacing("{", with: "{{").replacing("}", with: "}}")
        return "{source: \(Self.quoted("./" + name)), filter: \"scale:8x6\", output: \(Self.quoted(output))}"
      } + [
        "{source: \"\(server.url("/early.png"))\", output: early.png}",
        "{source: \"\(server.url("/late.png"))?token=secret\", outputs: [{output: late.png}, {output: small.png, filter: \"scale:4x3\"}]}",
      ])
    let first = try await command.run(
      "run", "--allow-net", "loopback", "--retries", "0", "--report", "r.ndjson", "--report", "r.json",
      "--report",
      "r.xml", "--report", "r.html", "m.yaml")
    #expect(first.status == 1)
    let failed = try lines("r.ndjson").filter { $0["status"] as? String == "failed" }
    let expected = names.indices.filter { !good.contains($0) }.map { "out/" + names[$0] }
    #expect(failed.compactMap { $0["output"] as? String } == expected + ["late.png", "small.png"])
    let all = try object("r.json")
    #expect((all["outputs"] as? [[String: Any]])?.count == names.count + 3)
    let cases = try XMLDocument(data: read("r.xml")).nodes(
      forXPath: "//testcase[failure]")
    #expect(cases.count == failed.count)
    let page = String(decoding: try read("r.html"), as: UTF8.self)
    #expect(page.ranges(of: "<script").count == 1)

    // Mended: what was no image is one, and the server has what it hadn't.
    for index in names.indices { try command.write(picture, to: names[index]) }
    isMended.raise()
    let requests = server.requests.count
    let again = try await command.run(
      "run", "--allow-net", "loopback", "--retries", "0", "--failed", "r.ndjson", "--report", "again.ndjson",
      "m.yaml")
    #expect(again.status == 0, "\(again.errors)")
    #expect(
      try lines("again.ndjson").compactMap { $0["output"] as? String } == expected + [
        "late.png", "small.png",
      ])
    #expect(server.requests.dropFirst(requests).map(\.path) == ["/late.png"])
    let nothing = try await command.run("run", "--failed", "again.ndjson", "m.yaml")
    #expect(nothing.status == 0 && nothing.errors.contains("nothing to do"), "\(nothing.errors)")
  }

  @Test(
    "after so many failures nothing more is asked for, and every report says what was not started",
    arguments: [(["--fail-fast"], 1), (["--max-failures", "3"], 3)])
  func stopping(options: [String], failures: Int) async throws {
    let picture = picture
    // What comes behind the last failure that is borne waits until that has been told.
    let gate = Gate()
    let server = try LoopbackServer { request in
      let number = Int(request.path.filter(\.isNumber)) ?? 0
      return request.path.hasPrefix("/none")
        ? .notFound : Page(picture, type: "image/png", gate: number > failures * 3 ? gate : nil)
    }
    defer { gate.open() }
    // Jobs 3, 6, 9 … fail; one download at a time goes through them in their order.
    try manifest(
      (1...40).map {
        "{source: \"\(server.url($0 % 3 == 0 ? "/none\($0).png" : "/\($0).png"))\", output: \"\($0).png\"}"
      })
    async let run = command.run(
      arguments: ["run", "--allow-net", "loopback", "--retries", "0", "-d", "1", "--events", "e.ndjson"]
        + CommandRun.patient + options + [
          "--report", "r.json", "--report", "r.xml", "--report", "r.html", "--report", "r.ndjson", "m.yaml",
        ])
    func told() -> Int {
      String(decoding: command.read("e.ndjson") ?? Data(), as: UTF8.self).ranges(of: "http-status").count
    }
    while told() < failures { try await Task.sleep(for: .milliseconds(20)) }
    gate.open()
    let outcome = try await run
    #expect(outcome.status == 1)
    // One more may have been asked for before the failure came.
    let asked = server.requests.count
    #expect((failures * 3...failures * 3 + 1).contains(asked), "\(asked)")
    let report = try object("r.json")
    let summary = try #require(report["summary"] as? [String: Any])
    let ended = try lines("r.ndjson").count
    #expect(summary["jobsFailed"] as? Int == failures)
    #expect(summary["jobs"] as? Int == 40 && summary["jobsNotStarted"] as? Int == 40 - ended)
    #expect(outcome.errors.contains("\(40 - ended) jobs not started"))
    let skipped = try XMLDocument(data: read("r.xml"))
      .nodes(forXPath: "//testcase[skipped]/@name").compactMap(\.stringValue)
    #expect(skipped == ["\(40 - ended) jobs not started"])
    let page = String(decoding: try read("r.html"), as: UTF8.self)
    let all = ended == 1 ? "1 output" : "\(ended) outputs"
    #expect(page.contains("\(failures) of \(all) failed, \(40 - ended) jobs not started</small>"))
    #expect(command.files.filter { $0.hasSuffix(".png") }.count == ended - failures)
  }

  @Test("--verbose says what is downloaded and the outcome of every output, --quiet neither")
  func verbose() async throws {
    let picture = picture
    let server = try LoopbackServer { request in
      let fields = [("ETag", "\"v\"")]
      return request.field("If-None-Match") == "\"v\""
        ? Page([], type: "image/png", status: 304, fields: fields)
        : Page(picture, type: "image/png", fields: fields)
    }
    try manifest(["{source: \"\(server.url("/a.png"))\", filter: \"scale:8x6\", output: a.png}"])
    let (command, source) = (command, server.url("/a.png"))
    func said(_ options: String...) async throws -> [Substring] {
      let fixed = ["run", "--allow-net", "loopback", "--progress", "none", "m.yaml"]
      return try await command.run(arguments: fixed + options).errors.split(separator: "\n").dropLast()
    }
    let first = try await said("-v")
    #expect(first.count == 2, "\(first)")
    #expect(first.first?.hasPrefix("imagemill: note: \(source): downloaded ") == true, "\(first)")
    #expect(
      first.last?.hasPrefix("m.yaml:3:5: note: \(source): written a.png, 8 × 6 png, ") == true, "\(first)")
    let second = try await said("--verbose", "--refresh")
    #expect(second.first == "imagemill: note: \(source): not changed", "\(second)")
    #expect(second.last?.contains(": unchanged a.png, ") == true, "\(second)")
    #expect(try await command.run("run", "--allow-net", "loopback", "-q", "--force", "m.yaml").errors == "")
    #expect(try await command.run("run", "-q", "-v", "m.yaml").status == 2)
  }

  @Test("every member of a report is in the manuals of run and pipe")
  func members() async throws {
    try command.write(picture, to: "a.png")
    try manifest(["{source: ./a.png, output: b.png}", "{source: ./none.png, output: c.png}"])
    #expect(try await command.run("run", "--placeholders", "--report", "r.ndjson", "m.yaml").status == 1)
    var names: Set<String> = []
    for line in try lines("r.ndjson") {
      names.formUnion(line.keys)
      for member in ["error", "location"] { names.formUnion((line[member] as? [String: Any] ?? [:]).keys) }
    }
    #expect(names.isSuperset(of: ["source", "placeholders", "temporary", "column"]))
    for page in ["run", "pipe"] {
      let text = try await command.run("help", page).text
      let section = try #require(text.firstRange(of: "\nREPORTS\n").map { text[$0.upperBound...] })
      for name in names { #expect(section.contains("'\(name)'"), "\(name) in \(page)") }
    }
  }

  @Test("GitHub's runner is told of failures at their lines, and of the run in the step's summary")
  func github() async throws {
    let name = "50%,a:b\n::error::<b>`|`.png"
    try manifest(["{source: \(Self.quoted("./" + name)), output: a.png}"])
    try FileManager.default.createDirectory(atPath: command.work + "/site", withIntermediateDirectories: true)
    try FileManager.default.moveItem(
      atPath: command.work + "/m.yaml", toPath: command.work + "/site/m,1.yaml")
    let outcome = try await command.run(
      "run", "site/m,1.yaml",
      environment: [
        "GITHUB_ACTIONS": "true", "GITHUB_WORKSPACE": command.directory,
        "GITHUB_STEP_SUMMARY": command.work + "/summary.md",
      ])
    #expect(outcome.status == 1)
    #expect(outcome.lines.count == 1, "\(outcome.text)")
    #expect(
      outcome.text.hasPrefix(
        "::error file=work/site/m%2C1.yaml,line=3,col=5,title=imagemill::site/./50%25,a:b%0A::error::<b>`|`.png: read: "
      ),
      "\(outcome.text)")
    let summary = String(decoding: try read("summary.md"), as: UTF8.self)
    #expect(summary.hasPrefix("### imagemill: 1 of 1 output failed\n"))
    #expect(summary.contains("&lt;b&gt;&#96;&#124;&#96;.png | a.png |"), "\(summary)")
    #expect(!summary.contains("\n::error"))
  }
}

private final class Flag: Sendable {
  private let state = Mutex(false)

  var isRaised: Bool { state.withLock(\.self) }

  func raise() { state.withLock { $0 = true } }

  @Test(
    "missing directories of everything that is written are made",
    arguments: [
      ["--report", "d/e/r.json"], ["--report", "d/e/r.html"], ["--emit", "picture=d/e/x.html"],
      ["--metrics", "d/e/m"],
      ["--events", "d/e/events"], ["--lock", "d/e/l.lock"],
    ])
  func directories(options: [String]) async throws {
    let command = try CommandRun()
    try command.write(PNGImage.bytes(width: 8, height: 6), to: "a.png")
    try command.write("imagemill: 1\njobs: [{source: ./a.png, output: a.webp}]\n", to: "m.yaml")
    let outcome = try await command.run(arguments: ["run"] + options + ["m.yaml"])
    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(command.files.contains { $0.hasPrefix("d/e/") }, "\(command.files)")
  }

  @Test(
    "a file that is replaced keeps its mode",
    arguments: ["--report r.json", "--emit json=x.json", "--metrics m"])
  func mode(option: String) async throws {
    let command = try CommandRun()
    try command.write(PNGImage.bytes(width: 8, height: 6), to: "a.png")
    try command.write("imagemill: 1\njobs: [{source: ./a.png, output: a.webp}]\n", to: "m.yaml")
    let words = option.split(separator: " ").map(String.init)
    let name = words[1].replacing("json=", with: "")
    #expect(try await command.run(arguments: ["run"] + words + ["m.yaml"]).status == 0)
    let older = command.read(name)
    let path = command.work + "/" + name
    try command.write("imagemill: 1\njobs: [{source: ./a.png, output: b.webp}]\n", to: "m.yaml")
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
    #expect(try await command.run(arguments: ["run"] + words + ["m.yaml"]).status == 0)
    #expect(command.read(name) != older)
    #expect(try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int == 0o600)
  }
}
