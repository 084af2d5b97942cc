import Foundation
import LoopbackServer
import Testing

/// A run's descriptors are bounded by its slots, and not by its jobs.
@Suite("Open files", .timeLimit(.minutes(8)))
struct DescriptorTests {
  /// Runs the command with a limit, and watches how many descriptors it has.
  private func run(
    _ command: CommandRun, limit: Int, _ arguments: [String]
  ) async throws -> (status: Int32, peak: Int, errors: String) {
    let process = command.process([])
    process.executableURL = URL(fileURLWithPath: "/bin/bash")
    process.arguments =
      ["-c", "ulimit -n \(limit); exec \"$@\"", "bash", CommandRun.executable] + arguments
    let errors = Pipe()
    process.standardError = errors
    process.standardOutput = FileHandle.nullDevice
    try process.run()
    let path = "/proc/\(process.processIdentifier)/fd"
    let watch = Task.detached {
      var peak = 0
      while !Task.isCancelled, let names = try? FileManager.default.contentsOfDirectory(atPath: path) {
        peak = max(peak, names.count)
        try? await Task.sleep(for: .milliseconds(3))
      }
      return peak
    }
    let text = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    await process.ended()
    watch.cancel()
    return (process.terminationStatus, await watch.value, text)
  }

  @Test("many sources with several outputs each are all made under a small limit", arguments: [64, 256])
  func manySources(_ limit: Int) async throws {
    let command = try CommandRun()
    let server = try LoopbackServer { request in
      let seed = Int(request.path.filter(\.isNumber)) ?? 0
      return Page(PNGImage.bytes(width: 24, height: 16, seed: seed), type: "image/png")
    }
    let jobs = (0..<300).map { number in
      "  - {source: \"\(server.url("/\(number).png"))\", outputs: [{output: \"o/\(number)-{w}.png\", "
        + "filter: \"limit:{w}x\", matrix: {w: [8, 10, 12, 14]}}]}\n"
    }
    try command.write("imagemill: 1\njobs:\n" + jobs.joined(), to: "m.yaml")
    let outcome = try await run(
      command, limit: limit, ["run", "-j", "2", "--allow-net", "loopback", "m.yaml"])
    #expect(outcome.status == 0, "\(outcome.errors.suffix(600))")
    #expect(command.files.filter { $0.hasPrefix("o/") }.count == 1200)
    #expect(outcome.peak < min(limit, 200), "\(outcome.peak) descriptors")
  }

  @Test(
    "a limit that is too small is refused by name, and the one that is named is enough",
    arguments: [9, 20, 47]
  )
  func tooFew(_ limit: Int) async throws {
    let command = try CommandRun()
    let server = try LoopbackServer { request in
      Page(PNGImage.bytes(width: 20, height: 10, seed: request.path.count), type: "image/png")
    }
    defer { server.stop() }
    let url = server.url("/a.png")
    // Files, and sources from two hosts, in turns.
    var sources: [String] = []
    for number in 0..<40 {
      try command.write(PNGImage.bytes(width: 20, height: 10, seed: number), to: "s\(number).png")
      let remote = server.url("/\(number).png")
      sources += ["s\(number).png", remote, remote.replacingOccurrences(of: "127.0.0.1", with: "localhost")]
    }
    for words in [
      ["pipe", "-j", "8", "-o", "o/{index}.webp", "-f", "limit:9x"] + sources, ["convert", url, "b.webp"],
      ["inspect", "s0.png"], ["fetch", url],
    ] {
      let options = words[0] == "inspect" ? [] : ["--allow-net", "loopback"]
      let refused = try await run(command, limit: limit, words + options)
      #expect(refused.status == 2, "\(words): \(refused.errors)")
      #expect(
        refused.errors.contains(
          "only \(limit) files may be open, but imagemill needs 48; raise the limit with "),
        "\(words): \(refused.errors)")
      let made = try await run(command, limit: 48, words + options)
      #expect(made.status == 0, "\(words): \(made.errors)")
    }
    #expect(command.files.filter { $0.hasPrefix("o/") }.count == 120)
  }

  @Test(
    "more slots than the limit has descriptors for are not used, and a warning says so",
    arguments: [64, 128, 256],
    [1, 16, 64])
  func slots(_ limit: Int, _ jobs: Int) async throws {
    let command = try CommandRun()
    var list = ""
    for number in 0..<150 {
      try command.write(PNGImage.bytes(width: 10, height: 10, seed: number), to: "s\(number).png")
      list += "s\(number).png\n"
    }
    try command.write(list, to: "list.txt")
    let outcome = try await run(
      command, limit: limit, ["run", "-j", "\(jobs)", "--no-cache", "-o", "o/{name}.jpg", "list.txt"])
    #expect(outcome.status == 0, "\(outcome.errors.suffix(600))")
    #expect(command.files.filter { $0.hasPrefix("o/") }.count == 150)
    #expect(outcome.peak < limit, "\(outcome.peak) descriptors")
    #expect(
      outcome.errors.contains("rendering slots instead of \(jobs)") == (jobs > limit / 16),
      "\(outcome.errors)")
  }

  @Test("one local source with a thousand outputs, and many local sources, are made under a small limit")
  func manyOutputs() async throws {
    let command = try CommandRun()
    try command.write(PNGImage.bytes(width: 64, height: 64, seed: 1), to: "a.png")
    try command.write(
      """
      imagemill: 1
      jobs:
        - source: ./a.png
          outputs:
            - output: "o/{w}-{h}.png"
              filter: "scale:{w}x{h}"
              matrix:
                w: [\((1...40).map(String.init).joined(separator: ", "))]
                h: [\((1...25).map(String.init).joined(separator: ", "))]

      """, to: "m.yaml")
    let many = try await run(command, limit: 64, ["run", "-j", "2", "m.yaml"])
    #expect(many.status == 0, "\(many.errors.suffix(600))")
    #expect(command.files.filter { $0.hasPrefix("o/") }.count == 1000)

    var list = ""
    for number in 0..<400 {
      try command.write(PNGImage.bytes(width: 10, height: 10, seed: number), to: "s\(number).png")
      list += "s\(number).png\n"
    }
    try command.write(list, to: "list.txt")
    let local = try await run(
      command, limit: 64, ["run", "-j", "2", "-o", "p/{name}.webp", "list.txt"])
    #expect(local.status == 0, "\(local.errors.suffix(600))")
    #expect(local.peak < 64)
    #expect(command.files.filter { $0.hasPrefix("p/") }.count == 400)
  }
}
