import ArgumentParser
import Manifests

/// Reads manifests and says what is wrong with them.
struct ValidateCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "validate", abstract: "Read manifests and report every mistake; nothing else.",
    discussion: """
      Ends with 0 where all of them are right, else with 2.

        imagemill validate images.yaml
      """)

  @Argument(help: "Manifests; '-' is standard input (default: imagemill.yaml, .yml, .toml or .json here).")
  var manifests: [String] = []

  @OptionGroup(title: "Manifest") var options: ManifestArguments

  func run() throws {
    for path in try ManifestArguments.paths(manifests) {
      _ = try options.read(path)
    }
  }
}
