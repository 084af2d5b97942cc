import Foundation
import Glibc
import LoopbackServer
import Testing

/// Named pipes, devices and files without end in the place of an ICC file.
@Suite("A color profile that can't be read whole", .timeLimit(.minutes(8)))
struct ProfileFileTests {
  private let command: CommandRun

  /// The names and what is said of them.
  private static let files = [
    ("pipe.icc", "'pipe.icc' isn't a regular file"), ("large.icc", "'large.icc' has more than 32 MiB"),
    ("device.icc", "'device.icc' isn't a regular file"), ("folder.icc", "'folder.icc' isn't a regular file"),
  ]

  init() throws {
    command = try CommandRun()
    try command.write(PNGImage.bytes(width: 8, height: 6), to: "a.png")
    #expect(mkfifo(command.work + "/pipe.icc", 0o600) == 0)
    #expect(mkdir(command.work + "/folder.icc", 0o700) == 0)
    #expect(symlink("/dev/zero", command.work + "/device.icc") == 0)
    // Sparse: it takes no space.
    try command.write([], to: "large.icc")
    #expect(truncate(command.work + "/large.icc", 20 << 30) == 0)
  }

  @Test("is refused in a manifest by its name and the limit", arguments: ["validate", "run"])
  func manifest(subcommand: String) async throws {
    let jobs = Self.files.enumerated().map { index, file in
      "  - {source: a.png, profile: \(file.0), output: \(index).png}\n"
    }
    try command.write("imagemill: 1\njobs:\n\(jobs.joined())", to: "m.yaml")
    let outcome = try await command.run(subcommand, "--allow-outside", "m.yaml")
    #expect(outcome.status == 2)
    for (_, said) in Self.files { #expect(outcome.errors.contains(said), "\(outcome.errors)") }
  }

  @Test("is refused in an option by its name and the limit", arguments: Self.files)
  func option(name: String, said: String) async throws {
    let outcome = try await command.run("convert", "--profile", name, "a.png", "-o", "b.png")
    #expect(outcome.status == 2)
    #expect(outcome.errors.contains("--profile must be srgb, keep or an ICC file for RGB; \(said)"))
    #expect(command.read("b.png") == nil)
  }
}
