import Foundation
import ImageBatch
import ImageFilters
import Testing

@testable import Manifests
@testable import imagemill
import ImageRendering

/// What there is, and what the help, the manuals and the schema say there is, are the same: neither has more.
@Suite("Nothing is left out, and nothing is made up", .timeLimit(.minutes(8)))
struct CompletenessTests {
  private let command: CommandRun
  private static let repository =
    URL(fileURLWithPath: #filePath).deletingLastPathComponent().path + "/../.."

  init() throws { command = try CommandRun() }

  private func page(_ name: String) throws -> [String] {
    try String(contentsOfFile: Self.repository + "/man/" + name, encoding: .utf8)
      .replacing("\\-", with: "-").split(separator: "\n").map(String.init)
  }

  /// The lines of a page from its heading of that name to the next of that kind.
  private func section(_ title: String, of lines: [String]) -> [String] {
    let kind = String(title.prefix(3))
    guard let start = lines.firstIndex(of: title) else { return [] }
    return Array(lines[(start + 1)...].prefix { !$0.hasPrefix(kind) && !$0.hasPrefix(".Sh") })
  }

  /// What follows a macro at the start of lines, commas left out.
  private func arguments(of macro: String, in lines: [String]) -> [String] {
    lines.filter { $0.hasPrefix(macro + " ") }
      .flatMap { $0.dropFirst(macro.count).split(separator: " ").map(String.init) }.filter { $0 != "," }
  }

  /// The lines of a section's own list, without those of lists inside it.
  private func outerList(of lines: [String]) -> [String] {
    var depth = 0
    return lines.filter { line in
      if line.hasPrefix(".Bl") { depth += 1 } else if line.hasPrefix(".El") { depth -= 1 }
      return depth == 1
    }
  }

  private static let commands: [HelpDump.Command] =
    ((try? HelpDump.root().subcommands) ?? []).filter { $0.shouldDisplay != false }

  private static func options(of command: HelpDump.Command) -> Set<String> {
    let own = (command.arguments ?? []).filter(\.shouldDisplay).flatMap { $0.names ?? [] }
      .map { $0.kind == "short" ? "-\($0.name)" : "--\($0.name)" }
    return (command.subcommands ?? []).filter { $0.commandName != "help" }
      .reduce(into: Set(own)) { $0.formUnion(options(of: $1)) }
  }

  /// `-x` and `--xyz` of mdoc's `Fl x , Fl -xyz`.
  private func flags(_ line: String) -> [String] {
    line.matches(of: #/\bFl (-?[A-Za-z0-9][A-Za-z0-9-]*)/#).map { "-" + $0.1 }
  }

  // MARK: Commands and options

  @Test("every command has a page, and every page a command")
  func pages() throws {
    let pages = try FileManager.default.contentsOfDirectory(atPath: Self.repository + "/man")
    let wanted = Self.commands.map { "imagemill-\($0.commandName).1" }
    #expect(Self.commands.count >= 14)
    #expect(
      Set(pages)
        == Set(
          wanted + [
            "imagemill.1", "imagemill-manifest.5", "imagemill-filters.7", "imagemill-s3.7",
            "imagemill-scale.7",
          ]))
    let overview = try page("imagemill.1")
    let listed = section(".Sh COMMANDS", of: overview).filter { $0.hasPrefix(".It Cm ") }.compactMap {
      $0.split(separator: " ").dropFirst(2).first.map(String.init)
    }
    #expect(Set(listed) == Set(Self.commands.map(\.commandName)))
  }

  @Test(
    "a page lists its command's options, all of them and no other", arguments: commands.map(\.commandName))
  func options(name: String) throws {
    let command = try #require(Self.commands.first { $0.commandName == name })
    let listed = try page("imagemill-\(name).1").filter { $0.hasPrefix(".It Fl ") }.flatMap(flags)
    #expect(Set(listed) == Self.options(of: command))
  }

  @Test("no page speaks of an option that no command has")
  func prose() throws {
    let all = Self.commands.reduce(into: Set<String>()) { $0.formUnion(Self.options(of: $1)) }
    for name in try FileManager.default.contentsOfDirectory(atPath: Self.repository + "/man") {
      var isLiteral = false
      for line in try page(name) {
        if line.hasPrefix(".Bd") || line == ".Ed" { isLiteral = line != ".Ed" }
        for flag in flags(line) { #expect(all.contains(flag), "\(name): \(flag)") }
        // In examples the commands' own.
        guard isLiteral, line.contains("imagemill ") || line.hasPrefix("    ") else { continue }
        let words = (line.hasPrefix("    ") ? "imagemill " + line : line).components(
          separatedBy: "imagemill "
        ).dropFirst().joined(separator: " ")
        for word in words.matches(of: #/(?:^| )(--[a-z][a-z-]+)/#) {
          #expect(all.contains(String(word.1)), "\(name): \(word.1)")
        }
      }
    }
  }

  @Test("the overview lists the options that several commands share, and no other")
  func overview() throws {
    let all = Self.commands.reduce(into: Set<String>()) { $0.formUnion(Self.options(of: $1)) }
    let listed = Set(try page("imagemill.1").filter { $0.hasPrefix(".It Fl ") }.flatMap(flags))
    #expect(listed.isSubset(of: all))
  }

  @Test("README.md names no option and no command that isn't there")
  func readme() throws {
    let all = Self.commands.reduce(into: Set<String>()) { $0.formUnion(Self.options(of: $1)) }
    let names = Set(Self.commands.map(\.commandName))
    let text = try String(contentsOfFile: Self.repository + "/README.md", encoding: .utf8)
    let uses = text.matches(of: #/\bimagemill ([a-z]+)( [^`|\n]*)?/#).filter { names.contains(String($0.1)) }
    #expect(uses.count >= 5)
    for use in uses {
      for option in (use.2 ?? "").matches(of: #/(?:^| )(--[a-z][a-z-]+)/#) {
        #expect(all.contains(String(option.1)), "\(use.0)")
      }
    }
  }

  // MARK: Filters

  @Test(
    "every filter with its parameters is in the manual, the list, the help and the schema; nothing else is")
  func filters() async throws {
    let names = FilterTable.all.map(\.name)
    #expect(Set(names).count > 40)
    let lines = try page("imagemill-filters.7")
    #expect(
      arguments(of: ".Ss", in: lines)
        == FilterDefinition.Category.allCases.flatMap { category in
          FilterTable.all.filter { $0.category == category }.map(\.name)
        })
    for filter in FilterTable.all {
      let own = section(".Ss \(filter.name)", of: lines)
      #expect(arguments(of: ".It Ar", in: own) == filter.parameters.map(\.displayName), "\(filter.name)")
    }
    let list = try await command.run("filters")
    let listed = list.lines.filter { $0.hasPrefix("  ") }.compactMap {
      $0.split(separator: " ").first.map(String.init)
    }
    #expect(Set(listed) == Set(names))
    let help = try await command.run("filters", "--help")
    let words = Set(help.text.split { " ,\n".contains($0) }.map(String.init))
    #expect(words.isSuperset(of: names))
    let known = try definitions("filters")
    #expect(Set(known.keys) == Set(names + FilterTable.all.flatMap { $0.aliases.map(\.name) }))
    for filter in FilterTable.all {
      let schema = known[filter.name] as? [String: Any]
      let parameters = schema?["properties"] as? [String: Any] ?? [:]
      #expect(Set(parameters.keys) == Set(filter.parameters.map(\.displayName)), "\(filter.name)")
    }
  }

  // MARK: Formats

  @Test("every format with its options is in the manual, the list, the help and the schema; nothing else is")
  func formats() async throws {
    let formats = EncoderTable.all.map(\.format.rawValue)
    #expect(formats == OutputFormat.allCases.map(\.rawValue))
    let lines = section(".Sh FORMATS", of: try page("imagemill-formats.1"))
    #expect(arguments(of: ".Ss", in: lines) == formats)
    for definition in EncoderTable.all {
      let own = section(".Ss \(definition.format.rawValue)", of: lines)
      #expect(arguments(of: ".It Ic", in: own) == definition.options.map(\.name))
    }
    let list = try await command.run("formats")
    for definition in EncoderTable.all {
      #expect(list.lines.contains { $0.hasPrefix(definition.format.rawValue + " ") })
      for option in definition.options {
        #expect(list.lines.contains { $0.hasPrefix("  \(option.name) ") }, "\(option.name)")
      }
    }
    for name in ["run", "pipe", "convert", "plan"] {
      let help = try await command.run(name, "--help")
      let text = help.text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
      #expect(text.contains("Output format: \(formats.joined(separator: ", "));"), "\(name)")
    }
    let options = Set(EncoderTable.all.flatMap { $0.options.map(\.name) })
    #expect(Set(try definitions("encode").keys) == options)
    let job = try definitions("job")
    #expect((job["format"] as? [String: Any])?["examples"] as? [String] == formats + ["auto", "same"])
  }

  // MARK: Keys

  private func definitions(_ name: String) throws -> [String: Any] {
    let schema = try JSONSerialization.jsonObject(with: Data(ManifestSchema.json().utf8)) as? [String: Any]
    let definition = (schema?["$defs"] as? [String: [String: Any]])?[name]
    return try #require(definition?["properties"] as? [String: Any])
  }

  @Test("every key is in imagemill-manifest(5) under its mapping, and no other")
  func keys() throws {
    let lines = try page("imagemill-manifest.5")
    func listed(_ title: String) -> [String] {
      arguments(of: ".It Ic", in: outerList(of: section(title, of: lines)))
    }
    let manifest = Set(listed(".Ss The manifest's keys"))
    #expect(manifest == Set(KeyTable.manifest.names))
    let job = Set(listed(".Ss A job's keys"))
    let output = Set(listed(".Ss \\&An output's keys"))
    #expect(output == Set(KeyTable.output.names).subtracting(["placeholder", "priority", "variables"]))
    // A job has an output's keys too.
    #expect(job.union(output) == Set(KeyTable.job.names))
    let named = Set(arguments(of: ".Ic", in: lines) + arguments(of: ".It Ic", in: lines))
    for key in KeyTable.origin.names + KeyTable.transition.names + KeyTable.markup.names {
      #expect(named.contains(key), "\(key)")
    }
  }

  @Test("every template field is in imagemill-manifest(5), and no other")
  func fields() throws {
    let lines = section(".Sh TEMPLATES", of: try page("imagemill-manifest.5"))
    let named = Set(
      arguments(of: ".It Li", in: lines).map { $0.trimmingCharacters(in: CharacterSet(charactersIn: "{}")) })
    #expect(named == Set(OutputTemplate.BuiltIn.allCases.map(\.rawValue)))
  }

  // MARK: Exit statuses and the environment

  @Test("every exit status is in imagemill(1) and in the help, and no other")
  func statuses() async throws {
    let statuses = ExitStatus.allCases.map { String($0.rawValue) }
    let lines = section(".Sh EXIT STATUS", of: try page("imagemill.1"))
    #expect(arguments(of: ".It", in: lines) == statuses)
    let help = try await command.run("--help")
    let told = help.text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
      .matches(of: #/(?:Exit status:|[;,]| or) (\d+)\b/#).map { String($0.1) }
    #expect(told == statuses)
    for command in Self.commands {
      let own = section(".Sh EXIT STATUS", of: try page("imagemill-\(command.commandName).1"))
      let listed = arguments(of: ".It", in: own)
      #expect(listed.contains("0") && listed.contains("2") && Set(listed).isSubset(of: statuses))
    }
  }

  @Test("every variable of the environment that the sources read is in imagemill(1) or imagemill-s3(7)")
  func environment() throws {
    let sources = try #require(FileManager.default.enumerator(atPath: Self.repository + "/Sources"))
    let pages = try page("imagemill.1") + page("imagemill-s3.7")
    let listed = pages.filter { $0.hasPrefix(".It Ev ") }.joined(separator: " ")
    var found: Set<String> = []
    for case let name as String in sources where name.hasSuffix(".swift") {
      let text = try String(contentsOfFile: Self.repository + "/Sources/" + name, encoding: .utf8)
      for use in text.matches(of: #/(?:getenv\(|environment\[)"([A-Za-z_]+)"|\bset\("(AWS_[A-Z0-9_]+)"/#) {
        if let variable = use.1 ?? use.2 { found.insert(String(variable)) }
      }
    }
    #expect(found.contains("TMPDIR") && found.contains("AWS_PROFILE"))
    // The tests' own, the shell's, and one that makes paths in GitHub's annotations relative.
    for name in found.subtracting(["IMAGEMILL_TEST_WORKER", "PATH", "GITHUB_WORKSPACE"]) {
      #expect(listed.contains(name), "\(name)")
    }
  }
}
