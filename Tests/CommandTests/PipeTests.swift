import Foundation
import LoopbackServer
import Testing

@Suite("imagemill pipe", .timeLimit(.minutes(8)))
struct PipeTests {
  private let command: CommandRun

  init() throws { command = try CommandRun() }

  @Test("a path is printed for each finished file")
  func paths() async throws {
    let image = PNGImage.bytes(width: 60, height: 40)
    let server = try LoopbackServer { _ in Page(image, type: "image/png") }
    let input = "\(server.url("/a.png"))\n\n# a comment\n\(server.url("/b.png"))\n"
    let outcome = try await command.run(
      "pipe", "-f", "fill:20x20,circle", "-o", "out/{name}.png", "--allow-net", "loopback",
      input: Data(input.utf8))
    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(outcome.lines.sorted() == ["out/a.png", "out/b.png"])
    #expect(command.files == ["out/a.png", "out/b.png"])
  }

  @Test("the first result comes before the input ends")
  func streams() async throws {
    try command.write(PNGImage.bytes(width: 8, height: 8), to: "a.png")
    let process = command.process(["pipe", "-f", "scale:4x4", "-o", "small-{name}.png"])
    let (input, output) = (Pipe(), Pipe())
    process.standardInput = input
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    try process.run()
    try input.fileHandleForWriting.write(contentsOf: Data("a.png\n".utf8))
    #expect(String(decoding: output.fileHandleForReading.availableData, as: UTF8.self) == "small-a.png\n")
    #expect(process.isRunning)
    try input.fileHandleForWriting.close()
    await process.ended()
    #expect(process.terminationStatus == 0)
  }

  @Test("a failed line is one message, and not the end of the stream")
  func failedLine() async throws {
    try command.write(PNGImage.bytes(width: 8, height: 8), to: "a.png")
    try command.write(PNGImage.bytes(width: 8, height: 8), to: "b.png")
    let outcome = try await command.run(
      "pipe", "-o", "new-{name}.png", input: Data("a.png\nnone.png\nb.png\n".utf8))
    #expect(outcome.status == 1)
    #expect(outcome.lines.sorted() == ["new-a.png", "new-b.png"])
    #expect(outcome.errors.contains("none.png"))
  }

  @Test(
    "a source outside is outside the current directory: there is no manifest", arguments: ["sources", "csv"])
  func outside(form: String) async throws {
    let header = form == "csv" ? "source,sku\n" : ""
    let line = form == "csv" ? "../a.png,1" : "../a.png"
    let outcome = try await command.run(
      "pipe", "--input", form, "-o", "{name}.webp", input: Data("\(header)\(line)\n".utf8))
    #expect(outcome.status == 1)
    #expect(
      outcome.errors.contains(
        "'../a.png' is outside the current directory: move it inside, or use --allow-outside\n"),
      "\(outcome.errors)")
  }

  @Test("a reader that leaves ends it quietly")
  func reader() async throws {
    // An input without an end: a command that goes on reading would never return.
    for index in 0..<40 {
      try command.write(PNGImage.bytes(width: 8, height: 8, seed: index), to: "\(index).png")
    }
    let shell = Process()
    shell.executableURL = URL(fileURLWithPath: "/bin/sh")
    shell.arguments = [
      "-c",
      "yes 7.png | '\(CommandRun.executable)' pipe --progress none -o 'o-{name}.png' --no-cache | head -n 1",
    ]
    shell.currentDirectoryURL = URL(fileURLWithPath: command.work)
    let (output, errors) = (Pipe(), Pipe())
    shell.standardOutput = output
    shell.standardError = errors
    try shell.run()
    let printed = output.fileHandleForReading.readDataToEndOfFile()
    let complained = errors.fileHandleForReading.readDataToEndOfFile()
    await shell.ended()
    #expect(String(decoding: printed, as: UTF8.self).hasPrefix("o-"))
    #expect(!String(decoding: complained, as: UTF8.self).contains("imagemill"))
    #expect(!String(decoding: complained, as: UTF8.self).contains("jobs"))
    for file in command.files where file.hasPrefix("o-") {
      #expect(command.read(file).flatMap { PNGImage.size(of: $0) } != nil)
    }
  }

  @Test("a run that stops early ends although its input stays open", arguments: ["reader", "failure"])
  func openInput(cause: String) async throws {
    try command.write(PNGImage.bytes(width: 8, height: 8), to: "a.png")
    let options = cause == "failure" ? ["--fail-fast"] : []
    let process = command.process(["pipe", "--progress", "none", "-o", "o-{name}.png"] + options)
    let (input, output, errors) = (Pipe(), Pipe(), Pipe())
    process.standardInput = input
    process.standardOutput = output
    process.standardError = errors
    if cause == "reader" { try output.fileHandleForReading.close() }
    try process.run()
    // Only the process has the other ends now.
    try errors.fileHandleForWriting.close()
    try input.fileHandleForReading.close()
    try input.fileHandleForWriting.write(
      contentsOf: Data((cause == "reader" ? "a.png\n" : "none.png\n").utf8))
    // The suite's time limit ends a command that waits for its input.
    await process.ended()
    let said = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    #expect(process.terminationStatus == (cause == "reader" ? 0 : 1), "\(said)")
    #expect(said.isEmpty == (cause == "reader"), "\(said)")
    #expect(said.contains("stopped before the end of the input") == (cause == "failure"), "\(said)")
    try input.fileHandleForWriting.close()
  }
}
