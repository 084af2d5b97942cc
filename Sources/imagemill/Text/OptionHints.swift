import ImageFilters
import SystemIO

/// Improves the parser's messages about options: negative values, and options of other programs.
enum OptionHints {
  /// What to write for options that other programs have.
  static let foreign = [
    "--silent": "--quiet", "--parallel": "--jobs", "--threads": "--jobs", "--workers": "--jobs",
    "--concurrency": "--downloads", "--outdir": "--output-dir", "--out": "--output",
    "--recursive": "a directory as a source", "--resize": "-f limit:WxH", "--thumbnail": "-f fill:WxH",
    "--width": "-f limit:Wx", "--height": "-f limit:xH", "--size": "-f limit:WxH",
    "--crop": "-f crop:WxH+X+Y",
    "--rotate": "-f rotate:90", "--blur": "-f blur:5", "--lossless": "--encode lossless=true",
    "--progressive": "--encode progressive=true", "--effort": "--encode effort=N",
    "--strip": "--metadata none",
    "--keep-metadata": "--metadata all", "--overwrite": "--in-place",
    "--location": "no option: redirects are followed",
    "--max-time": "--timeout", "--max-redirs": "--max-redirects", "--retry": "--retries",
    "--user-agent": "-H 'User-Agent: NAME'", "--cookie": "-H 'Cookie: NAME=VALUE'",
    "--max-filesize": "--max-bytes",
    "-V": "--version", "-Q": "--quality", "-resize": "-f limit:WxH", "-thumbnail": "-f fill:WxH",
    "-crop": "-f crop:WxH+X+Y",
    "-quality": "--quality", "-strip": "--metadata none", "-rotate": "-f rotate:90", "-blur": "-f blur:5",
    "-background": "--background", "-gravity": "an argument of a filter, such as fill:WxH:north",
    "-format": "--format", "-extent": "-f pad:WxH", "--watermark": "-f overlay:FILE:southeast",
    "--rate-limit": "--limit-rate", "--bwlimit": "--limit-rate", "--resume": "--failed",
    "--dryrun": "--dry-run", "--yes": "no option: nothing is asked",
  ]

  /// The parser's message; a better one if it would mislead.
  static func improved(_ sentence: String, _ arguments: [String]) -> String {
    let message =
      joined(sentence, arguments, options: parameters(of: arguments))
      ?? improved(sentence, arguments, known: parameters(of: arguments).flatMap(\.spellings))
    // A file's name that begins with a dash is taken for short options.
    let file = arguments.prefix { $0 != "--" }.first { isCluster($0) && File.exists($0) }
    return message + (file.map { "; for the file '\($0)', write './\($0)'" } ?? "")
  }

  /// The message about a short option with its value in one word, such as `-j4` or `-qj4`: the parser takes each character
  /// for an option. Nil for other mistakes.
  /// - Parameter options: The options of the command line's command.
  static func joined(
    _ sentence: String, _ arguments: [String], options: @autoclosure () -> [HelpDump.Argument]
  ) -> String? {
    // An option takes the operands for its value if its own is in one word with it.
    let isOperandMissing = sentence.hasPrefix("Missing expected argument")
    guard isOperandMissing || sentence.contains(#/'-[^-' ]/#),
      let word = arguments.prefix(while: { $0 != "--" }).first(where: { isCluster($0) }),
      foreign[word] == nil, !File.exists(word)
    else { return nil }
    let options = options()
    let long = options.flatMap(\.spellings).filter { $0.hasPrefix("--") }.map { String($0.dropFirst(2)) }
    // '-quality' is a long option with one dash.
    guard NearestName.of(String(word.dropFirst()), in: long) == nil else { return nil }
    for (position, letter) in word.enumerated().dropFirst() {
      guard let option = options.first(where: { $0.spellings.contains("-\(letter)") }) else { return nil }
      guard option.kind == "option" else { continue }
      let value = String(word.dropFirst(position + 1))
      // The parser may complain of a letter of the value.
      let blamed = ["\(word)'", "-\(letter)"] + value.map { "-\($0)'" }
      guard !value.isEmpty, isOperandMissing || blamed.contains(where: { sentence.contains("'\($0)") }) else {
        return nil
      }
      return "Unknown option '\(word)'; write '\(word.prefix(position + 1)) \(ShellWord.quoted(value))'"
    }
    return nil
  }

  /// Whether a word is a dash and several letters, which the parser takes for short options.
  private static func isCluster(_ word: String) -> Bool {
    word.hasPrefix("-") && !word.hasPrefix("--") && word.count > 2
  }

  /// - Parameter known: The options of the command line's command.
  static func improved(_ sentence: String, _ arguments: [String], known: @autoclosure () -> [String])
    -> String
  {
    if let option = sentence.firstMatch(of: #/^Missing value for '(-[^ ']+)[^']*'/#)?.1,
      let value = value(after: String(option), in: arguments), Double(value) != nil
    {
      return "\(option) can't be negative: '\(value)'"
    }
    // ImageMagick's long options have one dash. The parser reads -quality as -q, -u and so on.
    if sentence.contains(#/'-[A-Za-z0-9]( <[^>]+>)?'/#),
      let word = arguments.prefix(while: { $0 != "--" }).first(where: { isCluster($0) }),
      let hint = foreign[word] ?? (known().contains("-" + word) ? "-" + word : nil)
    {
      return "Unknown option '\(word)'; use \(hint)"
    }
    guard let option = sentence.firstMatch(of: #/^Unknown option '(-[^']+)'/#).map({ String($0.1) }) else {
      return sentence
    }
    let known = known()
    let name = option.prefix { $0 != "=" }
    if let replacement = foreign[String(name)] {
      let first = String(replacement.prefix { $0 != " " })
      if !first.hasPrefix("-") || known.contains(first) {
        return "Unknown option '\(option)'; use \(replacement)"
      }
    }
    let owners = commands(with: String(name), besides: arguments)
    if !owners.isEmpty {
      let plan =
        arguments.first == "validate" && owners.contains("'plan'")
        ? "; to check the options of a run too, use 'imagemill plan'" : ""
      return "Unknown option '\(option)'; it is an option of \(owners.joined(separator: ", "))\(plan)"
    }
    guard name.hasPrefix("--") else { return sentence }
    // Don't use the parser's suggestions, which may be far from the given name.
    let nearest = NearestName.of(
      String(name.dropFirst(2)), in: known.filter { $0.hasPrefix("--") }.map { String($0.dropFirst(2)) })
    return "Unknown option '\(option)'" + (nearest.map { ". Did you mean '--\($0)'?" } ?? "")
  }

  /// The commands other than the command line's that have an option, such as `'plan'` and `'cache stats'`.
  private static func commands(with option: String, besides arguments: [String]) -> [String] {
    guard let own = arguments.first, let root = try? HelpDump.root(),
      root.subcommands?.contains(where: { $0.commandName == own }) == true
    else { return [] }
    let shown = (root.subcommands ?? []).filter { $0.shouldDisplay != false }
    let commands = shown.flatMap { command -> [(path: [String], arguments: [HelpDump.Argument]?)] in
      let parts = (command.subcommands ?? []).filter { $0.commandName != "help" }
      if parts.isEmpty { return [([command.commandName], command.arguments)] }
      return parts.map { ([command.commandName, $0.commandName], $0.arguments) }
    }
    return commands.filter { command in
      !arguments.starts(with: command.path)
        && (command.arguments ?? []).contains { $0.shouldDisplay && $0.spellings.contains(option) }
    }.map { "'\($0.path.joined(separator: " "))'" }
  }

  private static func value(after option: String, in arguments: [String]) -> String? {
    guard let index = arguments.firstIndex(of: option), index + 1 < arguments.count else { return nil }
    let value = arguments[index + 1]
    return value.hasPrefix("-") ? value : nil
  }

  /// The options and operands of the command line's command.
  private static func parameters(of arguments: [String]) -> [HelpDump.Argument] {
    do {
      var command = try HelpDump.root()
      for word in arguments {
        guard let next = command.subcommands?.first(where: { $0.commandName == word }) else { break }
        command = next
      }
      return (command.arguments ?? []).filter(\.shouldDisplay)
    } catch {
      // Without the parser's description there are no names to suggest.
      return []
    }
  }
}
