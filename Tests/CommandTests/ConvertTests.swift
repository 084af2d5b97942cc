import Foundation
import LoopbackServer
import Testing

@Suite("imagemill convert", .timeLimit(.minutes(8)))
struct ConvertTests {
  @Test(
    "an output that is no path is refused with the reason, and nothing is made",
    arguments: [
      ("", "the output is empty"), ("file:///tmp/imagemill-none/z.png", "a URL of the scheme 'file'"),
      ("http://h/x.png", "a URL of the scheme 'http'"), ("ftp://h/{name}.png", "a URL of the scheme 'ftp'"),
    ])
  func noPath(output: String, words: String) async throws {
    let command = try CommandRun()
    try command.write(PNGImage.bytes(width: 8, height: 6), to: "a.png")
    for arguments in [["a.png", output], ["-o", output, "a.png"]] {
      let outcome = try await command.run(["convert"] + arguments)
      #expect(outcome.status == 2 && outcome.errors.contains(words), "\(arguments): \(outcome.errors)")
    }
    #expect(command.files == ["a.png"])
  }

  @Test("a name that isn't UTF-8 is refused: as text it would be another file's")
  func otherEncoding() async throws {
    let command = try CommandRun()
    try command.write(PNGImage.bytes(width: 8, height: 6), to: "a.png")
    for words in ["a.png $'x\\xff.png'", "$'in\\xff.png' b.png", "-o $'d\\xff/{name}.png' a.png"] {
      let outcome = try await command.run(
        ["-c", "'\(CommandRun.executable)' convert \(words)"], executable: "/bin/bash")
      #expect(outcome.status == 2 && outcome.errors.contains("isn't UTF-8"), "\(outcome.errors)")
    }
    #expect(command.files == ["a.png"])
  }

  private let command: CommandRun

  init() throws {
    command = try CommandRun()
    try command.write(PNGImage.bytes(width: 120, height: 80), to: "in.png")
  }

  private func size(_ data: Data?) -> [Int]? {
    data.flatMap { PNGImage.size(of: $0) }.map { [$0.width, $0.height] }
  }

  @Test("chains given one by one are one chain")
  func file() async throws {
    let outcome = try await command.run("convert", "in.png", "-f", "fill:50x50", "-f", "circle", "out.png")
    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(size(command.read("out.png")) == [50, 50])
    #expect(command.files == ["in.png", "out.png"])
  }

  @Test("bytes in, bytes out")
  func streams() async throws {
    let outcome = try await command.run(
      "convert", "-", "-f", "fit:60x60", "-", "--format", "webp",
      input: Data(PNGImage.bytes(width: 120, height: 80)))
    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(outcome.output.prefix(4) == Data("RIFF".utf8))
    #expect(outcome.output.dropFirst(8).prefix(4) == Data("WEBP".utf8))
  }

  @Test("an http source, its network being that of the host typed")
  func http() async throws {
    let server = try LoopbackServer(pages: [
      "/a.png": Page(PNGImage.bytes(width: 30, height: 20), type: "image/png")
    ])
    let outcome = try await command.run("convert", server.url("/a.png"), "-f", "scale:9x8", "out.png")
    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(size(command.read("out.png")) == [9, 8])
  }

  @Test(
    "what can't be meant is refused with status 2, and nothing is written",
    arguments: [
      (["in.png", "--format", "jpeg", "out.png"], "contradicts"),
      (["in.png", "-"], "--format"),
      (["in.png", "out.xyz"], "'.xyz'"),
      (["in.png", "-f", "crcle", "out.png"], "did you mean 'circle'?"),
      (["in.png", "-f", "fill:0x5", "out.png"], "fill"),
      (["in.png", "--quality", "101", "out.jpg"], "1…100"),
    ])
  func wrong(arguments: [String], words: String) async throws {
    let process = command.process(["convert"] + arguments)
    let errors = Pipe()
    process.standardError = errors
    process.standardOutput = FileHandle.nullDevice
    process.standardInput = FileHandle.nullDevice
    try process.run()
    let text = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    await process.ended()
    #expect(process.terminationStatus == 2, "\(text)")
    #expect(text.contains(words), "\(text)")
    #expect(command.files == ["in.png"])
  }

  @Test("a failure leaves the old output as it was")
  func failure() async throws {
    try command.write("no image at all", to: "bad.png")
    try command.write("old", to: "out.png")
    let outcome = try await command.run("convert", "bad.png", "out.png")
    #expect(outcome.status == 1)
    #expect(outcome.errors.contains("bad.png"))
    #expect(command.read("out.png") == Data("old".utf8))
    #expect(command.files == ["bad.png", "in.png", "out.png"])
  }
}
