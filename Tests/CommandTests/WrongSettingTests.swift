import Foundation
import LoopbackServer
import Testing

@testable import imagemill

@Suite("Wrong settings", .timeLimit(.minutes(8)))
struct WrongSettingTests {
  private let command: CommandRun

  init() throws {
    command = try CommandRun()
    try command.write(PNGImage.bytes(width: 8, height: 8), to: "a.png")
    try command.write("imagemill: 1\njobs: [{source: ./a.png, output: b.png}]\n", to: "m.yaml")
  }

  /// Writes the configuration file.
  private func configure(_ text: String) throws {
    let directory = command.directory + "/config/imagemill"
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
    try Data(text.utf8).write(to: URL(filePath: directory + "/config.toml"))
  }

  static let values: [(name: String, value: String, problem: String)] = [
    ("allow-net", "foo", "--allow-net takes CIDRs"), ("allow-host", "http://h/", "--allow-host takes a host"),
    ("deny-host", "[", "--deny-host takes a host"), ("header", "foo", "a header must be 'NAME: VALUE'"),
    ("netrc-file", "nosuch", "--netrc-file: there is no file 'nosuch'"),
    ("report", "x.txt", "the report 'x.txt' has an unknown format"),
    ("s3-endpoint", "foo", "--s3-endpoint: an S3 endpoint must be"),
    ("s3-header", "foo", "a header must be 'NAME: VALUE'"),
    ("remote-cache", "foo", "--remote-cache takes an https or http URL"),
    ("remote-cache", "s3://", "--remote-cache: the S3 URL has no bucket"),
    ("output-dir", "s3://", "-C: the S3 URL has no bucket"),
    ("profile", "nosuch.icc", "'profile' must be srgb, keep or a readable ICC file, not 'nosuch.icc'"),
    ("allow-format", "foo", "--allow-format takes "),
  ]

  @Test("are reported with their place by 'validate' as by 'run', before anything starts", arguments: values)
  func place(name: String, value: String, problem: String) async throws {
    let variable = "IMAGEMILL_" + name.uppercased().replacing("-", with: "_")
    for subcommand in ["validate", "run"] {
      try configure("jobs = 1\n\(name) = \"\(value)\"\n")
      let file = try await command.run(subcommand, "m.yaml")
      #expect(file.status == 2)
      #expect(file.errors.contains("config.toml:2:1: error: setting '\(name)': \(problem)"), "\(file.errors)")
      #expect(!file.errors.contains("m.yaml"), "\(file.errors)")
      try configure("")
      let outcome = try await command.run([subcommand, "m.yaml"], environment: [variable: value])
      #expect(outcome.status == 2)
      #expect(outcome.errors.hasPrefix("imagemill: \(variable): \(problem)"), "\(outcome.errors)")
    }
    #expect(command.files == ["a.png", "m.yaml"])
  }

  @Test("an ICC file for GIF alone is refused at its place; among defaults and settings, GIF ignores it")
  func profileOfGIF() async throws {
    var profile = [UInt8](repeating: 0, count: 200)
    profile.replaceSubrange(16..<20, with: Array("RGB ".utf8))
    profile.replaceSubrange(36..<40, with: Array("acsp".utf8))
    try command.write(profile, to: "p.icc")
    let job = "  - source: ./a.png\n    output: b.gif\n"
    try command.write("imagemill: 1\njobs:\n\(job)    profile: p.icc\n", to: "m.yaml")
    for subcommand in ["validate", "run"] {
      let outcome = try await command.run(subcommand, "m.yaml")
      #expect(outcome.status == 2)
      #expect(
        outcome.errors.contains("m.yaml:5:14: error: gif can't hold the color profile"), "\(outcome.errors)")
    }
    try command.write("imagemill: 1\ndefaults: {profile: p.icc}\njobs:\n\(job)", to: "m.yaml")
    let defaults = try await command.run("validate", "m.yaml")
    #expect(defaults.status == 0, "\(defaults.errors)")
    try command.write("imagemill: 1\njobs:\n\(job)", to: "m.yaml")
    let setting = try await command.run(["run", "m.yaml"], environment: ["IMAGEMILL_PROFILE": "p.icc"])
    #expect(setting.status == 0, "\(setting.errors)")
    #expect(command.files.contains("b.gif"))
  }

  @Test("that are empty are reported with their place, whatever follows on the command line")
  func empty() async throws {
    try configure("user = \"\"\n")
    let outcome = try await command.run("run", "m.yaml")
    #expect(outcome.status == 2)
    #expect(
      outcome.errors.contains("config.toml:1:1: error: setting 'user': the value is empty"),
      "\(outcome.errors)")
  }

  @Test("that are wrong only together are reported at one of their places")
  func together() async throws {
    let outcome = try await command.run(
      ["run", "m.yaml"], environment: ["IMAGEMILL_VERBOSE": "yes", "IMAGEMILL_QUIET": "yes"])
    #expect(outcome.status == 2)
    #expect(
      outcome.errors == "imagemill: IMAGEMILL_VERBOSE: --quiet and --verbose can't be used together; "
        + "for one command, IMAGEMILL_VERBOSE=no turns the setting off\n",
      "\(outcome.errors)")
  }
}
