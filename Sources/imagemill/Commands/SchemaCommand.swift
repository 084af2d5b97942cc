import ArgumentParser
import ImageFilters
import Manifests

/// Prints the JSON Schema of manifests, or of a document that a command prints.
struct SchemaCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "schema",
    abstract: "Print the JSON Schema (2020-12) of manifests, or of a document that a command prints.",
    discussion: """
      Editors use the manifest's schema to complete and check manifests. The other schemas describe reports, \
      events, and the JSON that commands print with --json.

        imagemill schema > imagemill.schema.json
        imagemill schema result
      """)

  /// The names that the command takes.
  static var names: [String] { ["manifest"] + DocumentSchema.all.map(\.name) }

  @Argument(
    help: ArgumentHelp(
      "The document: \(SchemaCommand.names.joined(separator: ", ")) (default: manifest).", valueName: "name"),
    completion: .list(SchemaCommand.names))
  var name: String?

  func run() throws {
    let name = name ?? "manifest"
    if name == "manifest" {
      var known = Setting.known
      known.summaries = try OptionTable(RunCommand.self).summaries
      try StandardOutput.write(ManifestSchema.json(known))
      return
    }
    guard let schema = DocumentSchema.named(name) else {
      throw CommandError(
        .usage,
        "unknown document '\(name)'\(NearestName.question(name, among: Self.names))\n  Documents: "
          + Self.names.joined(separator: ", "))
    }
    try StandardOutput.write(schema.json)
  }
}
