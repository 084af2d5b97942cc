import ArgumentParser
import SystemIO

/// Writes the generated manual pages, for `make manuals`.
struct ManualsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "manuals", abstract: "Write the generated manual pages.", shouldDisplay: false)

  @Argument(help: "Output directory.")
  var directory: String

  func run() throws {
    for (name, text) in try Self.pages() {
      do throws(SystemError) {
        try File.write(Array(text.utf8), to: directory + "/" + name)
      } catch {
        throw CommandError(.failed, "can't write \(directory)/\(name): \(error.text)")
      }
    }
  }

  /// The pages by file name.
  static func pages() throws -> [(name: String, text: String)] {
    let commands = (try HelpDump.root().subcommands ?? []).filter { $0.shouldDisplay != false }
    let pages =
      commands.map { ("imagemill-\($0.commandName).1", ManualPage.page(of: $0)) }
      + [
        ("imagemill.1", OverviewPage.text(commands: commands)), ("imagemill-manifest.5", ManifestPage.text),
        ("imagemill-filters.7", ManualPage.filtersPage()), ("imagemill-s3.7", ObjectStoragePage.text),
        ("imagemill-scale.7", ScalingPage.text),
      ]
    return pages.map { (name: $0.0, text: ManualDisplay.expanded($0.1)) }
  }
}
