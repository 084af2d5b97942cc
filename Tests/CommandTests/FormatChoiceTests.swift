import Foundation
import LoopbackServer
import Testing
import Vips

@Suite("Formats chosen when the image is written", .timeLimit(.minutes(8)))
struct FormatChoiceTests {
  private let command: CommandRun

  init() throws {
    command = try CommandRun()
    try command.write(PNGImage.bytes(width: 120, height: 80), to: "photo.png")
    try command.write(PNGImage.bytes(width: 60, height: 60, alpha: true), to: "clear.png")
  }

  private func results(_ report: String) throws -> [[String: Any]] {
    let lines = String(decoding: try #require(command.read(report)), as: UTF8.self).split(separator: "\n")
    return try lines.compactMap { try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any] }
      .filter { $0["output"] != nil }
  }

  @Test("same is the source's own format, in the path, the bytes and the second run")
  func same() async throws {
    try command.write(PNGImage.bytes(width: 12, height: 8), to: "a.png")
    let made = try await command.run("pipe", "-o", "a.jpg", input: Data("a.png\n".utf8))
    #expect(made.status == 0, "\(made.errors)")
    for second in [false, true] {
      let outcome = try await command.run(
        "pipe", "--format", "same", "--quality", "50", "-o", "out/{name}-{format}.{ext}", "--json",
        input: Data("a.png\na.jpg\n".utf8))
      #expect(outcome.status == 0, "\(outcome.errors)")
      #expect(command.files.filter { $0.hasPrefix("out/") } == ["out/a-jpeg.jpg", "out/a-png.png"])
      #expect(try command.format(of: "out/a-jpeg.jpg").rawValue == "jpeg")
      #expect(try command.format(of: "out/a-png.png").rawValue == "png")
      #expect(outcome.text.contains("unchanged") == second, "\(outcome.text)")
    }
  }

  @Test("a source in a format that can't be written fails, and says so; others don't")
  func sameUnwritable() async throws {
    try command.write("P5 2 2 255 abcd", to: "a.ppm")
    let outcome = try await command.run(
      "pipe", "--format", "same", "--allow-format", "ppm", "-o", "out/{name}.{ext}",
      input: Data("a.ppm\nphoto.png\n".utf8))
    #expect(outcome.status == 1)
    #expect(outcome.errors.contains("the source is ppm, which can't be written"), "\(outcome.errors)")
    #expect(command.files.filter { $0.hasPrefix("out/") } == ["out/photo.png"])
    let named = try await command.run(
      "pipe", "--format", "same", "-o", "{name}.webp", input: Data("photo.png\n".utf8))
    #expect(named.status == 2 && named.errors.contains("end it in '.{ext}'"), "\(named.errors)")
  }

  @Test("names follow the format, and the second run makes nothing")
  func manifest() async throws {
    try command.write(
      """
      imagemill: 1
      jobs:
        - source: photo.png
          outputs:
            - {output: "a.{ext}", format: auto, filter: "fit:64x64"}
            - {output: "{format}/b.{ext}", format: [png, jpeg], min-savings: 1%}
            - {output: "c-{format}.{ext}", matrix: {format: [auto, png]}}
        - source: clear.png
          output: "d.{ext}"
          format: [jpeg, png]
      """, to: "imagemill.yaml")
    let first = try await command.run("run", "--report", "first.ndjson")
    #expect(first.status == 0, "\(first.errors)")
    let made = try results("first.ndjson")
    #expect(made.count == 5)
    for result in made {
      let (path, format) = try (#require(result["output"] as? String), #require(result["format"] as? String))
      #expect(try command.format(of: path).rawValue == format, "\(path)")
      #expect(path.hasSuffix(format == "jpeg" ? ".jpg" : ".\(format)"), "\(path)")
    }
    #expect(
      command.files.contains("d.png") && command.files.contains("jpeg/b.jpg")
        && command.files.contains("c-png.png"))
    let second = try await command.run("run", "--report", "second.ndjson")
    #expect(second.errors.contains("5 unchanged"), "\(second.errors)")
    let paths = Set(made.compactMap { $0["output"] as? String })
    #expect(Set(try results("second.ndjson").compactMap { $0["output"] as? String }) == paths)
    #expect(try await command.run("run", "--check").status == 0)
    let plan = try await command.run("plan", "--json")
    for path in paths { #expect(plan.text.contains(path), "\(plan.text)") }
    // A file that is gone is put back without rendering.
    try FileManager.default.removeItem(atPath: command.work + "/d.png")
    let third = try await command.run("run")
    #expect(third.status == 0 && command.files.contains("d.png"), "\(third.errors)")
  }

  @Test("placeholders are there in every run that asks for them, and made once")
  func placeholders() async throws {
    try command.write(
      """
      imagemill: 1
      jobs: [{source: photo.png, output: "a.{ext}", format: [webp, jpeg], filter: "fit:50x50"}]
      """, to: "imagemill.yaml")
    #expect(try await command.run("run").status == 0)
    var seen: [String] = []
    for report in ["a.ndjson", "b.ndjson"] {
      let outcome = try await command.run("run", "--placeholders", "--report", report)
      #expect(outcome.errors.contains("1 unchanged"), "\(outcome.errors)")
      let result = try #require(try results(report).first)
      let placeholders = try #require(result["placeholders"] as? [String: Any], "\(result)")
      seen.append(try #require(placeholders["blurHash"] as? String))
    }
    #expect(Set(seen).count == 1)
    // What nobody asks for isn't told.
    #expect(try await command.run("run", "--report", "c.ndjson").status == 0)
    #expect(try results("c.ndjson").first?["placeholders"] == nil)
  }

  @Test("on the command line: pipe names the files, convert writes to a stream, and a size is kept under")
  func options() async throws {
    let piped = try await command.run(
      "pipe", "--format", "auto", "-o", "out/{name}.{ext}", "--ordered",
      input: Data("photo.png\nclear.png\n".utf8))
    #expect(piped.status == 0, "\(piped.errors)")
    #expect(piped.lines.count == 2 && piped.lines.allSatisfy { command.files.contains($0) }, "\(piped.text)")
    let converted = try await command.run("convert", "clear.png", "-", "--format", "jpeg,webp")
    #expect(converted.status == 0 && converted.output.prefix(4) == Data("RIFF".utf8), "\(converted.errors)")
    let small = try await command.run(
      "convert", "photo.png", "small.jpg", "--quality", "100", "--max-output-bytes", "1500B")
    #expect(small.status == 0, "\(small.errors)")
    #expect(try #require(command.read("small.jpg")).count <= 1500)
    for (arguments, words) in [
      (["a.png", "--format", "auto"], "'.{ext}'"), (["a.jpg", "--min-savings", "5%"], "--format jpeg,webp"),
      (["a.jpg", "--orient", "left"], "apply or keep"), (["a.jpg", "--frames", "none"], "all, first"),
      (["a.jpg", "--metadata", "some"], "none, copyright, all"),
      (["a.jpg", "--profile", "none.icc"], "ICC file"),
    ] {
      let wrong = try await run(["convert", "photo.png"] + arguments)
      #expect(wrong.status == 2 && wrong.text.contains(words), "\(wrong.text)")
    }
  }

  @Test("a path that doesn't tell which format was chosen is a usage error, and nothing is written")
  func namelessFormats() async throws {
    try command.write(PNGImage.bytes(width: 8, height: 6), to: "photo.png")
    let before = command.files
    for format in ["auto", "webp,png", "same"] {
      for words in [
        ["convert", "photo.png", "out"], ["convert", "photo.png", "out.bin"],
        ["convert", "-o", "e/{name}", "photo.png"], ["pipe", "-o", "e/{name}", "photo.png"],
        ["run", "-o", "e/{name}", "list.txt"], ["validate", "m.yaml"],
      ] {
        try command.write("photo.png\n", to: "list.txt")
        try command.write(
          "imagemill: 1\njobs:\n  - {source: photo.png, output: out, format: [\(format)]}\n"
            .replacing("[auto]", with: "auto").replacing("[same]", with: "same"), to: "m.yaml")
        let options = words[0] == "validate" ? [] : ["--format", format]
        let wrong = try await command.run([words[0]] + options + words.dropFirst())
        #expect(
          wrong.status == 2 && wrong.errors.contains("end it in '.{ext}'"),
          "\(format) \(words): \(wrong.errors)")
      }
    }
    #expect(Set(command.files) == Set(before + ["list.txt", "m.yaml"]))
    let named = try await command.run(
      "convert", "--format", "auto", "-o", "e/{format}-{name}", "photo.png")
    #expect(named.status == 0, "\(named.errors)")
  }

  private func run(_ arguments: [String]) async throws -> (status: Int32, text: String) {
    let process = command.process(arguments)
    let errors = Pipe()
    process.standardError = errors
    process.standardOutput = FileHandle.nullDevice
    process.standardInput = FileHandle.nullDevice
    try process.run()
    let text = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    await process.ended()
    return (process.terminationStatus, text)
  }
}
