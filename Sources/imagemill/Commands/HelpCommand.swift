import ArgumentParser
import Foundation
import Glibc
import ImageFilters
import Manifests
import SystemIO
import TerminalText

/// Shows the manual, by topic.
struct HelpCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "help",
    abstract: "Show the manual page of a command, of manifests, of filters, of object storage or of scaling.",
    discussion: """
      On a terminal, man(1) shows the page; otherwise it is printed as plain text. The pages are built into the \
      command. Topics are the commands' names, 'manifest', 'filters', 's3' and 'scale' (default: \
      imagemill(1)). 'filters' shows imagemill-filters(7), not the page of the command of that name. A \
      subcommand's name may follow, as in 'help cache explain'.

        imagemill help
        imagemill help manifest
      """)

  @Argument(
    help: ArgumentHelp("A command, 'manifest', 'filters', 's3' or 'scale'.", valueName: "topic"),
    completion: .list(HelpTopic.all.map(\.name)))
  var topics: [String] = []

  func validate() throws {
    guard topics.count > 1 else { return }
    // The page of a command has its subcommands too: 'imagemill help cache purge'.
    let command = Imagemill.configuration.subcommands.first { $0._commandName == topics[0] }
    let parts = command?.configuration.subcommands.map { $0._commandName } ?? []
    guard topics.count == 2, parts.contains(topics[1]) else {
      throw ValidationError("help shows one topic; '\(topics[1])' isn't a part of '\(topics[0])'")
    }
  }

  func run() throws {
    let topic = try HelpTopic.named(topics.first ?? "imagemill")
    let page = try topic.page()
    if StandardOutput.isTerminal, try ManualPager.show(page, as: topic.file) { return }
    try StandardOutput.write(PlainPage.text(of: page))
  }
}

/// A page of the manual.
struct HelpTopic {
  let name: String
  /// The file name in `man/`.
  let file: String

  /// All topics, in the order of imagemill(1).
  static let all: [HelpTopic] =
    [HelpTopic(name: "imagemill", file: "imagemill.1")]
    + Imagemill.configuration.subcommands.filter { $0.configuration.shouldDisplay }
    .map { $0.configuration.commandName ?? "" }.filter { $0 != "filters" }
    .map { HelpTopic(name: $0, file: "imagemill-\($0).1") }
    + [
      HelpTopic(name: "manifest", file: "imagemill-manifest.5"),
      HelpTopic(name: "filters", file: "imagemill-filters.7"),
      HelpTopic(name: "s3", file: "imagemill-s3.7"),
      HelpTopic(name: "scale", file: "imagemill-scale.7"),
    ]

  /// The topic that a word names; `imagemill-run` is `run`.
  static func named(_ word: String) throws -> HelpTopic {
    let name = word.hasPrefix("imagemill-") ? String(word.dropFirst("imagemill-".count)) : word
    if let topic = all.first(where: { $0.name == name }) { return topic }
    if let filter = FilterTable.definition(named: name) {
      throw CommandError(
        .usage,
        "'\(name)' is a filter: see 'imagemill filters \(filter.name)' or 'imagemill help filters'")
    }
    let names = all.map(\.name)
    let nearest = NearestName.question(name, among: names)
    throw CommandError(
      .usage, "unknown topic '\(word)'\(nearest)\n  Topics: \(names.joined(separator: ", "))")
  }

  /// The page in mdoc(7).
  func page() throws -> String {
    guard let page = try ManualsCommand.pages().first(where: { $0.name == file }) else {
      throw CommandError(.failed, "the page \(file) is missing from this build; please report it")
    }
    return page.text
  }
}

/// Shows pages on a terminal with man(1).
enum ManualPager {
  /// Shows a page; false if man(1) is missing or fails.
  static func show(_ page: String, as name: String) throws -> Bool {
    let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
    let candidates = path.split(separator: ":").map { "\($0)/man" }
    guard let man = candidates.first(where: { access($0, X_OK) == 0 }) else { return false }
    do {
      let directory = try TemporaryName.makeDirectory("\(Paths.temporaryDirectory)/imagemill-help-")
      let file = "\(directory)/\(name)"
      defer {
        unlink(file)
        rmdir(directory)
      }
      try File.write(Array(page.utf8), to: file)
      let process = Process()
      process.executableURL = URL(filePath: "/usr/bin/env")
      process.arguments = [man, "-l", file]
      try process.run()
      process.waitUntilExit()
      return process.terminationStatus == 0
    } catch {
      // The caller prints the page as plain text.
      return false
    }
  }
}
