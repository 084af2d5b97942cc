import Foundation
import LoopbackServer
import Testing

/// libvips brings a hundred libraries: whoever needs no pixels doesn't wait for them, and whoever does is told where
/// they are missing.
@Suite("loading libvips", .timeLimit(.minutes(8)))
struct LoadingTests {
  private let image = PNGImage.bytes(width: 8, height: 8)

  /// Whether glibc's dynamic linker, which tells what it looks for, was asked for libvips.
  private func loads(_ outcome: CommandRun.Outcome) -> Bool { outcome.errors.contains("file=libvips.so.42") }

  @Test("a command without images doesn't load it; one with images does")
  func whenNeeded() async throws {
    let server = try LoopbackServer(pages: ["/a.png": Page(image, type: "image/png")])
    let command = try CommandRun()
    try command.write("imagemill: 1\njobs: [{source: a.png, output: b.png}]\n", to: "m.yaml")
    try Data(image).write(to: URL(fileURLWithPath: command.work + "/a.png"))
    let fetch = ["fetch", "--allow-net", "loopback", server.url("/a.png")]
    for words in [["--version"], ["--help"], ["validate", "m.yaml"], ["cache", "stats"], fetch] {
      let outcome = try await command.run(words, environment: ["LD_DEBUG": "files"])
      #expect(outcome.status == 0 && !outcome.errors.isEmpty)
      #expect(!loads(outcome), "\(words)")
    }
    let outcome = try await command.run(["inspect", "a.png"], environment: ["LD_DEBUG": "files"])
    #expect(outcome.status == 0 && loads(outcome))
  }

  @Test("a run that starts workers for a new cache leaves it to them, and the next run finds what they made")
  func leftToWorkers() async throws {
    let command = try CommandRun()
    try command.write("imagemill: 1\njobs: [{source: a.png, output: b.png}]\n", to: "m.yaml")
    try command.write(image, to: "a.png")
    let other = ["--cache-dir", command.directory + "/other"]
    for words in [
      ["run", "m.yaml"], ["run", "--force", "--no-cache", "m.yaml"], ["run", "--force"] + other + ["m.yaml"],
      ["pipe", "-o", "c.png", "--cache-dir=\(command.directory)/third", "a.png"],
    ] {
      let outcome = try await command.run(words, environment: ["LD_DEBUG": "files"])
      #expect(outcome.status == 0 && !outcome.errors.isEmpty, "\(outcome.errors)")
      #expect(!loads(outcome), "\(words)")
    }
    for cache in [[], other] {
      let check = try await command.run(
        ["run", "--check", "m.yaml"] + cache, environment: ["LD_DEBUG": "files"])
      #expect(check.status == 0 && check.text.isEmpty, "\(check.text)")
      #expect(loads(check))
    }
  }

  @Test("where it can't be loaded, each job fails with a sentence about that, and what needs no pixels works")
  func broken() async throws {
    let command = try CommandRun()
    try FileManager.default.createDirectory(atPath: command.work + "/lib", withIntermediateDirectories: true)
    try command.write("no library", to: "lib/libvips.so.42")
    try Data(image).write(to: URL(fileURLWithPath: command.work + "/a.png"))
    try command.write(
      "imagemill: 1\njobs: [{source: a.png, filter: \"fit:4x4\", output: b.png}]\n", to: "m.yaml")
    let environment = ["LD_LIBRARY_PATH": command.work + "/lib"]
    for words in [["run", "m.yaml"], ["convert", "a.png", "-f", "fit:4x4", "b.png"], ["inspect", "a.png"]] {
      let outcome = try await command.run(words, environment: environment)
      #expect(outcome.status == 1, "\(words): \(outcome.errors)")
      #expect(outcome.errors.contains("libvips can't be loaded"), "\(words): \(outcome.errors)")
      #expect(outcome.errors.contains("install it"), "\(words): \(outcome.errors)")
    }
    // It says nothing about the images, and isn't remembered of them.
    try command.write(
      "imagemill: 1\njobs: [{source: [a.png, c.png], filter: \"fit:4x4\", output: d.png}]\n", to: "n.yaml")
    try Data(PNGImage.bytes(width: 8, height: 8, seed: 1)).write(
      to: URL(fileURLWithPath: command.work + "/c.png"))
    #expect(try await command.run(["run", "n.yaml"], environment: environment).status == 1)
    #expect(try await command.run(["run", "n.yaml"]).status == 0)
    let doctor = try await command.run(["doctor"], environment: environment)
    #expect(doctor.status != 0)
    #expect(doctor.text.contains("libvips can't be loaded"), "\(doctor.text)\(doctor.errors)")
    #expect(try await command.run(["validate", "m.yaml"], environment: environment).status == 0)
  }
}
