import ArgumentParser
import Manifests

/// Prints the manifest's JSON Schema.
struct SchemaCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "schema", abstract: "Print the manifest's JSON Schema (2020-12).",
    discussion: """
      Editors use it to complete and check manifests.

        imagemill schema > imagemill.schema.json
      """)

  func run() throws { try StandardOutput.write(ManifestSchema.json()) }
}
