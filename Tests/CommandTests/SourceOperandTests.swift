import Foundation
import LoopbackServer
import Testing

@Suite("Directories and patterns as sources", .timeLimit(.minutes(8)))
struct SourceOperandTests {
  private let command: CommandRun

  init() throws {
    command = try CommandRun()
    for name in ["photos/a/x.png", "photos/b/x.PNG", "photos/y.png", "photos/.hidden/z.png"] {
      let path = command.work + "/" + name
      try FileManager.default.createDirectory(
        atPath: (path as NSString).deletingLastPathComponent, withIntermediateDirectories: true)
      try command.write(PNGImage.bytes(width: 6, height: 4), to: name)
    }
    try command.write("no image", to: "photos/a/notes.txt")
  }

  private var made: [String] { command.files.filter { $0.hasPrefix("out/") } }

  @Test("a directory's images are sources, its other files aren't, and the tree is mirrored")
  func directory() async throws {
    let outcome = try await command.run("pipe", "-o", "out/{dir}/{name}.webp", "photos")
    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(made == ["out/a/x.webp", "out/b/x.webp", "out/y.webp"])
    #expect(outcome.lines.sorted() == made)
  }

  @Test("patterns, files, URLs and directories go together, in their order")
  func mixed() async throws {
    let image = PNGImage.bytes(width: 6, height: 4)
    let server = try LoopbackServer { _ in Page(image, type: "image/png") }
    let outcome = try await command.run(
      "pipe", "--ordered", "--allow-net", "loopback", "-f", "text:{name}", "-o",
      "out/{index}-{dir}-{name}.webp",
      "photos/**/x.*", server.url("/p/u.png"), "photos/y.png", "photos/a")
    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(
      outcome.lines.map { $0.replacing("/", with: "|") } == [
        "out|1-a-x.webp", "out|2-b-x.webp", "out|3-p-u.webp", "out|4-photos-y.webp", "out|5--x.webp",
      ])
  }

  @Test("convert takes several with -o, says nothing, and mirrors the tree")
  func convert() async throws {
    let outcome = try await command.run(
      "convert", "photos", "photos/y.png", "-f", "flip", "-o", "out/{index}/{dir}/{name}.webp")
    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(outcome.output.isEmpty && outcome.errors.isEmpty, "\(outcome.errors)")
    #expect(made == ["out/1/a/x.webp", "out/2/b/x.webp", "out/3/y.webp", "out/4/photos/y.webp"])
    let failing = try await command.run("convert", "photos/y.png", "none.png", "-o", "out/5/{name}.webp")
    #expect(failing.status == 1 && failing.errors.contains("none.png"), "\(failing.errors)")
    #expect(made.contains("out/5/y.webp"))
  }

  @Test("convert warns of a source that is read in part, with -o and without, and not with --quiet")
  func warnings() async throws {
    let whole = try Data(contentsOf: URL(filePath: command.work + "/photos/y.png"))
    try whole.prefix(whole.count / 2).write(to: URL(filePath: command.work + "/cut.png"))
    for output in [["cut.webp"], ["-o", "out/{name}.webp"]] {
      for quiet in [[], ["--quiet"]] {
        let outcome = try await command.run(["convert", "cut.png", "--on-corrupt", "warn"] + quiet + output)
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(
          outcome.errors.contains("warning: ") == quiet.isEmpty, "\(output) \(quiet): \(outcome.errors)")
      }
    }
  }

  @Test("a dry run names them, and makes nothing")
  func dryRun() async throws {
    let outcome = try await command.run("pipe", "-n", "-o", "out/{dir}/{name}.webp", "photos")
    #expect(outcome.lines == ["out/a/x.webp", "out/b/x.webp", "out/y.webp"])
    #expect(made.isEmpty)
  }

  @Test("what names nothing is told before anything starts")
  func nothing() async throws {
    let pattern = try await command.run("pipe", "-o", "out/{name}.webp", "photos/y.png", "none/*.png")
    #expect(
      pattern.status == 2 && pattern.errors.contains("nothing matches 'none/*.png'"), "\(pattern.errors)")
    try FileManager.default.createDirectory(
      atPath: command.work + "/empty", withIntermediateDirectories: true)
    let directory = try await command.run("pipe", "-o", "out/{name}.webp", "empty")
    #expect(
      directory.status == 2 && directory.errors.contains("no images in the directory 'empty'"),
      "\(directory.errors)")
    #expect(made.isEmpty)
  }

  @Test(
    "sources with one path are told with fields that the template lacks and that differ",
    arguments: [
      ("{name}.webp", "photos/a/x.png", "photos/b/x.PNG", "{dir} or {index}"),
      ("{dir}/{name}.webp", "photos/y.png", "photos/y.PNG", "{index} or {source-hash:8}"),
      ("{name}.webp", "photos/y.png", "photos/y.PNG", "{index} or {source-hash:8}"),
    ])
  func conflict(template: String, first: String, second: String, fields: String) async throws {
    try command.write(PNGImage.bytes(width: 7, height: 4), to: "photos/y.PNG")
    for name in ["pipe", "convert"] {
      let outcome = try await command.run(name, "-o", template, first, second)
      #expect(outcome.status == 2, "\(outcome.errors)")
      #expect(
        outcome.errors.contains("the outputs of \(first) and \(second) have the path '"), "\(outcome.errors)")
      #expect(
        outcome.errors.hasSuffix("': use a field that differs, such as \(fields)\n"), "\(outcome.errors)")
    }
    #expect(made.isEmpty)
  }

  @Test("the outputs' directory is still not left, though the sources are anywhere")
  func outside() async throws {
    let outcome = try await command.run("pipe", "-o", "../{name}.webp", "photos")
    #expect(
      outcome.status == 2 && outcome.errors.contains("outside the output directory"), "\(outcome.errors)")
    let elsewhere = try await command.run("pipe", "-o", "out/{dir}/{name}.webp", command.work + "/photos/a")
    #expect(elsewhere.status == 0, "\(elsewhere.errors)")
    #expect(made == ["out/x.webp"])
  }

  @Test(
    "mistakes in the options are all told at once, in the same words for operands and for standard input",
    arguments: [
      ["-o", "{nmae}.{x}", "--quality", "900"], ["-o", "a.png", "-f", "text:{skuu}"], ["-o", "a.xyz"],
      ["-o", "{nmae}.png"], ["-o", "a.png", "--encode", "effort=900"],
    ])
  func options(options: [String]) async throws {
    let operands = try await command.run(["pipe"] + options + ["photos/y.png"])
    let input = try await command.run(["pipe"] + options, input: Data("photos/y.png\n".utf8))
    let converted = try await command.run(["convert"] + options + ["photos/y.png"])
    #expect(
      operands.status == 2 && input.status == 2 && converted.status == 2, "\(operands.errors)\(input.errors)")
    #expect(operands.errors == input.errors && operands.errors == converted.errors, "\(input.errors)")
    #expect(
      operands.errors.hasPrefix("imagemill: ") && !operands.errors.contains("1:1"), "\(operands.errors)")
    if options.contains("900"), options.contains("--quality") {
      #expect(operands.errors.contains("{nmae}") && operands.errors.contains("900"), "\(operands.errors)")
    }
  }
}
