import Foundation
import Glibc
import ImageBatch
import TestSupport
import Testing

@testable import Reports

@Suite("Reports in files", .timeLimit(.minutes(8)))
final class FileReportPropertyTests {
  private let directory = FileManager.default.temporaryDirectory.path + "/reports-\(UUID().uuidString)"
  private let seed = SeededRandom.seed

  init() throws {
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(atPath: directory) }

  private var names: [String] {
    get throws { try FileManager.default.contentsOfDirectory(atPath: directory).sorted() }
  }

  private func object(_ name: String) throws -> [String: Any] {
    let data = try Data(contentsOf: URL(filePath: directory + "/" + name))
    return try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
  }

  @Test("any outputs in any order: each once, in the order of jobs and outputs, with totals that agree")
  func order() throws {
    var random = SeededRandom(seed: seed)
    for round in 0..<20 {
      var outputs: [OutputResult] = []
      for job in 1...Int.random(in: 1...60, using: &random) {
        for position in 0..<Int.random(in: 1...4, using: &random) {
          var result = Bool.random(using: &random) ? OutputResult.written(job) : .failing(job)
          result.outputIndex = position
          // Some are longer than what is gathered at once.
          result.filter = String(
            repeating: "é", count: Int.random(in: 0...20, using: &random) == 0 ? 40_000 : 3)
          outputs.append(result)
        }
      }
      var summary = BatchSummary()
      summary.outputs = outputs.count
      summary.outputsFailed = outputs.count { $0.status == .failed }
      let json = try FileReport(path: directory + "/\(round).json", version: "1")
      let lines = try FileReport(path: directory + "/\(round).ndjson", version: "1")
      let xml = try FileReport(path: directory + "/\(round).xml", version: "1")
      for output in outputs.shuffled(using: &random) {
        for report in [json, lines, xml] { report.receive(.outputFinished(output)) }
      }
      for report in [json, lines, xml] {
        report.receive(.finished(summary))
        try report.finish()
      }
      let wanted = outputs.map { "\($0.index) \($0.outputIndex)" }
      let found = try #require(try object("\(round).json")["outputs"] as? [[String: Any]])
      #expect(found.map { "\($0["index"] ?? "")" } == outputs.map { "\($0.index)" }, "seed \(seed)")
      #expect(found.count { $0["status"] as? String == "failed" } == summary.outputsFailed)
      let text = try String(contentsOfFile: directory + "/\(round).ndjson", encoding: .utf8)
      #expect(text.split(separator: "\n").count == wanted.count)
      let document = try String(contentsOfFile: directory + "/\(round).xml", encoding: .utf8)
      #expect(document.split(separator: "<testcase").count - 1 == wanted.count)
    }
    #expect(try names.count == 60, "nothing else is left")
  }

  @Test("tens of thousands of outputs in any order", arguments: [4095, 4096, 4097, 20_000])
  func many(count: Int) throws {
    var random = SeededRandom(seed: seed)
    let path = directory + "/many.ndjson"
    let report = try FileReport(path: path, version: "1")
    for job in (1...count).shuffled(using: &random) { report.receive(.outputFinished(.written(job))) }
    report.receive(.finished(BatchSummary()))
    try report.finish()
    let text = try String(contentsOfFile: path, encoding: .utf8)
    let indices = try text.split(separator: "\n").map { line in
      let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
      return try #require(object?["index"] as? Int)
    }
    #expect(indices == Array(1...count), "seed \(seed)")
  }

  @Test("the old report stays until the new one is whole")
  func oldReport() throws {
    let path = directory + "/r.json"
    try Data("old".utf8).write(to: URL(filePath: path))
    let report = try FileReport(path: path, version: "1")
    let reader = try #require(FileHandle(forReadingAtPath: path))
    report.receive(.outputFinished(.written()))
    #expect(try names == ["r.json"])
    #expect(FileManager.default.contents(atPath: path) == Data("old".utf8))
    report.receive(.finished(.large))
    try report.finish()
    #expect(try reader.readToEnd() == Data("old".utf8))
    #expect(try object("r.json")["imagemill"] as? String == "1")
    #expect(try names == ["r.json"])
  }

  @Test("a directory that goes away while the batch runs is said at the end, and nothing is left")
  func vanishedDirectory() throws {
    let report = try FileReport(path: directory + "/deep/er/r.json", version: "1")
    try FileManager.default.removeItem(atPath: directory + "/deep")
    report.receive(.outputFinished(.written()))
    report.receive(.finished(.large))
    let error = #expect(throws: ReportError.self) { try report.finish() }
    #expect(error?.code == .notWritable && error?.path == directory + "/deep/er/r.json")
    #expect(try names.isEmpty)
  }

  @Test("a directory in the report's place is said, and stays")
  func directoryInPlace() throws {
    try FileManager.default.createDirectory(atPath: directory + "/r.json", withIntermediateDirectories: true)
    let report = try FileReport(path: directory + "/r.json", version: "1")
    report.receive(.finished(.large))
    #expect(throws: ReportError.self) { try report.finish() }
    #expect(try names == ["r.json"])
  }

  @Test("a full device fails the report", arguments: ["json", "ndjson", "xml", "html"])
  func fullDevice(pathExtension: String) throws {
    let path = directory + "/full." + pathExtension
    try #require(symlink("/dev/full", path) == 0)
    let report = try FileReport(path: path, version: "1")
    report.receive(.outputFinished(.written()))
    report.receive(.finished(.large))
    let error = #expect(throws: ReportError.self) { try report.finish() }
    #expect(error?.code == .notWritable)
    var status = stat()
    #expect(stat("/dev/full", &status) == 0 && status.st_mode & S_IFMT == S_IFCHR)
    #expect(try names == ["full." + pathExtension])
  }

  @Test("a full device fails the step summary")
  func fullSummary() {
    let summary = StepSummary(path: "/dev/full")
    summary.receive(.finished(.large))
    #expect(throws: ReportError.self) { try summary.finish() }
    let unopened = StepSummary(path: directory + "/none/summary.md")
    unopened.receive(.finished(.large))
    #expect(throws: ReportError.self) { try unopened.finish() }
  }

  @Test("a batch that hasn't ended has no report, and no step summary")
  func unfinished() throws {
    let report = try FileReport(path: directory + "/r.html", version: "1")
    report.receive(.outputFinished(.written()))
    try report.finish()
    let summary = StepSummary(path: directory + "/summary.md")
    summary.receive(.outputFinished(.failing()))
    try summary.finish()
    #expect(try names.isEmpty)
  }

  @Test("every stream of text says when its reader has gone, and goes on without it")
  func goneReader() throws {
    let closed = Transcript(capacity: 0)
    let reporters: [any BatchReporter] = [
      EventLines(write: closed.write), Messages(.everything, write: closed.write),
      PlainProgress(interval: 0, write: closed.write),
      GitHubAnnotations(directory: "/", workspace: nil, write: closed.write),
      ProgressDisplay(usesColor: true, size: { TerminalSize(columns: 80, rows: 24) }, write: closed.write),
    ]
    for reporter in reporters {
      for event in StreamTests.everyEvent + [.jobFinished(JobResult(.failing()))] { reporter.receive(event) }
      reporter.tick()
      try reporter.finish()
    }
    #expect(closed.count > 0)
  }

  @Test("an extension in any letter case is a format's, and another is refused before anything is made")
  func extensions() throws {
    for name in ["a.json", "a.JSON", "a.ndjson", "a.xml", "a.Html", "-.json"] {
      _ = try FileReport(path: directory + "/" + name, version: "1")
    }
    for name in ["a", "a.", "a.jsonx", "json", ".json/a", "a.json/"] {
      let error = #expect(throws: ReportError.self) {
        _ = try FileReport(path: directory + "/" + name, version: "1")
      }
      #expect(error != nil, "\(name)")
    }
  }
}
