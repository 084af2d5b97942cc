import ArgumentParser
import Foundation
import Glibc
import ImageFilters
import Manifests
import SystemIO
import TerminalText

/// The manual, by topic.
struct HelpCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "help", abstract: "Show the manual page of a command, of manifests or of filters.",
    discussion: """
      On a terminal the page is shown by man(1), elsewhere or without it as plain text. The pages are part of the \
      command. Topics are the commands' names, 'manifest' and 'filters'; without one, the manual's first page.

        imagemill help
        imagemill help manifest
      """)

  @Argument(
    help: ArgumentHelp("A command, 'manifest' or 'filters'.", valueName: "topic"),
    completion: .list(HelpTopic.all.map(\.name)))
  var topics: [String] = []

  func run() throws {
    let topic = try HelpTopic.named(topics.first ?? "imagemill")
    let page = try topic.page()
    if isatty(STDOUT_FILENO) == 1, try ManualPager.show(page, as: topic.file) { return }
    try StandardOutput.write(PlainPage.text(of: page))
  }
}

/// A page of the manual.
struct HelpTopic {
  let name: String
  /// As in `man/`.
  let file: String

  /// In the order in which imagemill(1) names them.
  static let all: [HelpTopic] =
    [HelpTopic(name: "imagemill", file: "imagemill.1")]
    + Imagemill.configuration.subcommands.filter { $0.configuration.shouldDisplay }
    .map { $0.configuration.commandName ?? "" }.filter { $0 != "filters" }
    .map { HelpTopic(name: $0, file: "imagemill-\($0).1") }
    + [
      HelpTopic(name: "manifest", file: "imagemill-manifest.5"),
      HelpTopic(name: "filters", file: "imagemill-filters.7"),
    ]

  /// The topic that a word names; `imagemill-run` is `run`.
  static func named(_ word: String) throws -> HelpTopic {
    let name = word.hasPrefix("imagemill-") ? String(word.dropFirst("imagemill-".count)) : word
    if let topic = all.first(where: { $0.name == name }) { return topic }
    if let filter = FilterTable.definition(named: name) {
      throw Complaint(
        .usage,
        "'\(name)' is a filter: 'imagemill filters \(filter.name)' shows it, 'imagemill help filters' all")
    }
    let names = all.map(\.name)
    let nearest = NearestName.of(name, in: names).map { "; did you mean '\($0)'?" } ?? ""
    throw Complaint(
      .usage, "there is no page '\(word)'\(nearest)\nTopics: \(names.joined(separator: ", "))")
  }

  /// Its text in mdoc(7).
  func page() throws -> String {
    guard let page = try ManualsCommand.pages().first(where: { $0.name == file }) else {
      throw Complaint(.failed, "the page \(file) is missing from this build; please report it")
    }
    return page.text
  }
}

/// man(1), which shows pages on a terminal.
enum ManualPager {
  /// Shows a page; false where there is no man that can.
  static func show(_ page: String, as name: String) throws -> Bool {
    let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
    let candidates = path.split(separator: ":").map { "\($0)/man" }
    guard let man = candidates.first(where: { access($0, X_OK) == 0 }) else { return false }
    guard let directory = temporaryDirectory() else { return false }
    let file = "\(directory)/\(name)"
    defer {
      unlink(file)
      rmdir(directory)
    }
    do {
      try File.write(Array(page.utf8), to: file)
      let process = Process()
      process.executableURL = URL(filePath: "/usr/bin/env")
      process.arguments = [man, "-l", file]
      try process.run()
      process.waitUntilExit()
      return process.terminationStatus == 0
    } catch {
      // The plain page is as good.
      return false
    }
  }

  /// A directory of this process's own; nil where none can be made.
  private static func temporaryDirectory() -> String? {
    var template = Array("\(Paths.temporaryDirectory)/imagemill-help-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { return nil }
    return String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}
