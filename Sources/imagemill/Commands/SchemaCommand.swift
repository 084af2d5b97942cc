import ArgumentParser
import Manifests

/// The manifest's JSON Schema.
struct SchemaCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "schema", abstract: "Print the manifest's JSON Schema (2020-12).",
    discussion: """
      Editors that know YAML complete and check a manifest by it.

        imagemill schema > imagemill.schema.json
      """)

  func run() throws { try StandardOutput.write(ManifestSchema.json()) }
}
