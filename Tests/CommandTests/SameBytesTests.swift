import Foundation
import LoopbackServer
import Testing

/// Same inputs, same bytes: never by timing, other jobs, or what was cached.
@Suite("Same inputs, same bytes", .timeLimit(.minutes(8)))
struct SameBytesTests {
  private static let formats = ["jpg", "png", "webp", "gif", "tif", "avif"]
  private static let chains = [
    "fill:40x30,circle", "limit:64x", "pad:50x50:snap=false,sharpen", "blur:2,vignette",
    "text:Ada:sans:12,flip",
  ]

  /// Images and a manifest of them: every source in every format by every chain.
  private func place() throws -> CommandRun {
    let command = try CommandRun()
    var jobs = ""
    for index in 1...4 {
      try command.write(
        PNGImage.bytes(width: 70 + 13 * index, height: 90 - 9 * index, seed: index, alpha: index % 2 == 0),
        to: "\(index).png")
      for (number, chain) in Self.chains.enumerated() {
        let extensions = "[\(Self.formats.joined(separator: ", "))]"
        jobs += """
            - {source: \(index).png, outputs: [{output: "out/\(index)-\(number).{x}", filter: "\(chain)", matrix: {x: \(extensions)}}]}

          """
      }
    }
    try command.write("imagemill: 1\njobs:\n" + jobs, to: "imagemill.yaml")
    return command
  }

  private func outputs(_ command: CommandRun) -> [String: Data] {
    Dictionary(
      uniqueKeysWithValues: command.files.filter { $0.hasPrefix("out/") }.compactMap { name in
        command.read(name).map { (name, $0) }
      })
  }

  @Test("with one worker and with eight, in two runs, and each output alone through convert")
  func workers() async throws {
    let (one, eight) = (try place(), try place())
    let first = try await one.run("run", "-j", "1")
    #expect(first.status == 0, "\(first.errors)")
    let second = try await eight.run("run", "-j", "8")
    #expect(second.status == 0, "\(second.errors)")
    let made = outputs(one)
    #expect(made.count == 4 * Self.chains.count * Self.formats.count)
    #expect(made == outputs(eight))
    // Made anew, not taken from what was stored.
    let again = try await one.run("run", "-j", "3", "--force", "--no-cache")
    #expect(again.status == 0, "\(again.errors)")
    #expect(outputs(one) == made)
    for (number, chain) in Self.chains.enumerated() {
      for name in Self.formats {
        let index = 1 + (number + name.count) % 4
        let alone = try await one.run("convert", "\(index).png", "-f", chain, "alone.\(name)")
        #expect(alone.status == 0, "\(alone.errors)")
        #expect(
          one.read("alone.\(name)") == made["out/\(index)-\(number).\(name)"], "\(index) \(chain) \(name)")
      }
    }
  }
}
