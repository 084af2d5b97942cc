import Foundation
import LoopbackServer
import Testing

/// The files of Examples/scale, with the variables that the schedulers set; and the tests of the package for Spark that need no
/// Spark.
@Suite("Work for several machines", .timeLimit(.minutes(8)))
struct ScaleExampleTests {
  private static let repository =
    URL(fileURLWithPath: #filePath).deletingLastPathComponent().path + "/../.."
  private let command: CommandRun

  init() throws {
    command = try CommandRun()
    for index in 0..<8 {
      try command.write(PNGImage.bytes(width: 8, height: 6, seed: index), to: "\(index).png")
    }
    let jobs = (0..<8).map { "  - {source: ./\($0).png, output: \"\($0).webp\"}\n" }
    try command.write(
      "imagemill: 1\njobs:\n\(jobs.joined())  - {source: ./none.png, output: none.webp}\n", to: "images.yaml")
    try FileManager.default.createDirectory(
      atPath: command.directory + "/bin", withIntermediateDirectories: true)
    try FileManager.default.createSymbolicLink(
      atPath: command.directory + "/bin/imagemill", withDestinationPath: CommandRun.executable)
  }

  private static func example(_ name: String) throws -> String {
    try String(contentsOfFile: "\(repository)/Examples/scale/\(name)", encoding: .utf8)
  }

  /// Runs a script with the built command as `imagemill`.
  @discardableResult
  private func shell(
    _ script: String, _ arguments: [String] = [], _ variables: [String: String] = [:]
  ) async throws -> CommandRun.Outcome {
    try await command.run(
      ["-euc", script, "sh"] + arguments,
      environment: ["PATH": "\(command.directory)/bin:/usr/bin:/bin"].merging(variables) { $1 },
      executable: "/bin/sh")
  }

  /// The blocks of YAML that begin with `|`, without their indentation.
  private static func blocks(of yaml: String) -> [String] {
    var blocks: [String] = []
    var block: (width: Int, lines: [Substring])?
    for line in yaml.split(separator: "\n", omittingEmptySubsequences: false) {
      let spaces = line.prefix { $0 == " " }.count
      if let (width, lines) = block, lines.isEmpty || spaces >= width {
        let width = lines.isEmpty ? spaces : width
        block = (width, lines + [line.dropFirst(width)])
        continue
      }
      if let block { blocks.append(block.lines.joined(separator: "\n") + "\n") }
      block = line.hasSuffix("|") ? (0, []) : nil
    }
    return blocks
  }

  /// All parts made all images, each once, and the report has them all.
  private func expectWhole(in output: String) throws {
    let report = try #require(command.read("report.ndjson") ?? command.read("report.html"))
    let made = command.files.filter { $0.hasPrefix(output + "/") && $0.hasSuffix(".webp") }
    #expect(made.count == 8)
    guard command.read("report.ndjson") != nil else { return }
    let statuses = try report.split(separator: UInt8(ascii: "\n")).map { line in
      let object = try JSONSerialization.jsonObject(with: line) as? [String: Any]
      return try #require(object?["status"] as? String)
    }
    #expect(statuses.sorted() == ["failed"] + Array(repeating: "written", count: 8))
  }

  @Test("GNU parallel: every part, one report, and a status that tells of failures")
  func parallel() async throws {
    if !FileManager.default.isExecutableFile(atPath: "/usr/bin/parallel") {
      // As much of it as the script uses.
      try """
      #!/bin/sh
      status=0
      while read -r line; do
        (for word; do shift; set -- "$@" "$(printf '%s' "$word" | sed "s/{}/$line/")"; done; "$@") < /dev/null \
          || status=1
      done
      exit $status
      """.write(toFile: command.directory + "/bin/parallel", atomically: true, encoding: .utf8)
      chmod(command.directory + "/bin/parallel", 0o755)
    }
    let outcome = try await shell(
      try Self.example("gnu-parallel"), ["images.yaml", "out", "3"], ["HOME": command.directory])
    #expect(outcome.status != 0)
    #expect(outcome.errors.contains("none.png"))
    try expectWhole(in: "out")
  }

  @Test("Slurm: an array of jobs, a repeated one, and the job after them")
  func slurm() async throws {
    let script = try Self.example("slurm")
    for part in 1...4 {
      let outcome = try await shell(
        script, ["images.yaml", "out"],
        ["SLURM_ARRAY_TASK_ID": "\(part)", "SLURM_ARRAY_TASK_COUNT": "4", "SLURM_CPUS_PER_TASK": "1"])
      #expect([0, 1].contains(outcome.status), "\(outcome.errors)")
    }
    #expect(try await shell(script, ["images.yaml", "out"]).status == 0)
    try expectWhole(in: "out")
    let again = try await shell(
      script, ["images.yaml", "out"],
      ["SLURM_ARRAY_TASK_ID": "2", "SLURM_ARRAY_TASK_COUNT": "1", "PARTS": "4"])
    #expect([0, 1].contains(again.status), "\(again.errors)")
  }

  @Test("Kubernetes: an indexed Job, and the Job with the report")
  func kubernetes() async throws {
    let yaml = try Self.example("kubernetes.yaml")
    let scripts = Self.blocks(of: yaml)
    try #require(scripts.count == 2)
    #expect(yaml.contains("completions: 16\n") && yaml.contains("{name: PARTS, value: \"16\"}"))
    for index in 0..<4 {
      let outcome = try await shell(scripts[0], [], ["JOB_COMPLETION_INDEX": "\(index)", "PARTS": "4"])
      #expect([0, 1].contains(outcome.status), "\(outcome.errors)")
    }
    #expect(try await shell(scripts[1]).status == 0)
    try expectWhole(in: "out")
  }

  @Test("a matrix of a GitHub workflow, and the job with the report")
  func matrix() async throws {
    let scripts = Self.blocks(of: try Self.example("github-actions.yml"))
    let making = try #require(scripts.first { $0.contains("imagemill run") })
    for part in 1...4 {
      let script = making.replacing("${{ matrix.part }}", with: "\(part)")
        .replacing("${{ strategy.job-total }}", with: "4")
      #expect(!script.contains("${{"))
      let outcome = try await shell(script)
      #expect([0, 1].contains(outcome.status), "\(outcome.errors)")
    }
    let merging = try #require(scripts.first { $0.contains("report merge") })
    #expect(try await shell(merging).status == 0)
    try expectWhole(in: "public")
    #expect(command.files.contains("report.xml"))
  }

  private static let hasPython = FileManager.default.isExecutableFile(atPath: "/usr/bin/python3")

  @Test("the package for Spark passes its tests with the built command", .enabled(if: hasPython))
  func spark() async throws {
    let outcome = try await command.run(
      ["-m", "unittest", "discover", "-s", "\(Self.repository)/Integrations/spark/tests"],
      environment: ["IMAGEMILL": CommandRun.executable, "PYTHONDONTWRITEBYTECODE": "1"],
      executable: "/usr/bin/python3")
    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(outcome.errors.contains("\nOK\n"), "\(outcome.errors.suffix(500))")
  }
}
