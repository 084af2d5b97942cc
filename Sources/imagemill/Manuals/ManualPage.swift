import ImageBatch
import ImageFilters
import ImageRendering

/// Makes manual pages in mdoc(7) from the parser's tables.
enum ManualPage {
  /// `imagemill-NAME(1)`.
  static func page(of command: HelpDump.Command) -> String {
    var page = head("IMAGEMILL-\(command.commandName.uppercased())", section: 1)
    page += ".Sh NAME\n.Nm imagemill-\(command.commandName)\n.Nd \(sentence(command.abstract))\n"
    page += ".Sh SYNOPSIS\n"
    let subcommands = (command.subcommands ?? []).filter { $0.commandName != "help" }
    page +=
      ManualSections.synopsis(of: command.commandName)
      ?? synopsis(command, hasSubcommands: !subcommands.isEmpty)
    page +=
      ".Sh DESCRIPTION\n"
      + paragraphs([command.abstract.map { $0 + ($0.hasSuffix(".") ? "" : ".") } ?? ""] + prose(command))
    page += operandList(command)
    let common = commonOptions(of: subcommands)
    for subcommand in subcommands {
      let operands = positionals(subcommand).map { argument in
        let name = (argument.valueName ?? "argument") + (argument.isRepeating ? " ..." : "")
        return argument.isOptional ? " [\(name)]" : " \(name)"
      }
      page += ".Ss imagemill \(command.commandName) \(subcommand.commandName)\(operands.joined())\n"
      page += text(subcommand.abstract ?? "") + "\n"
      let description = paragraphs(prose(subcommand))
      page += description.isEmpty ? "" : ".Pp\n" + description
      page += operandList(subcommand)
      page += optionList((subcommand.arguments ?? []).filter { !common.contains($0.spelling) })
    }
    if command.commandName == "formats" { page += formatSections }
    page +=
      common.isEmpty
      ? options(command)
      : ".Sh OPTIONS\nThese work with every subcommand:\n"
        + optionList((subcommands.first?.arguments ?? []).filter { common.contains($0.spelling) })
    page += ProgramsSection.text(of: command.commandName)
    page += ReportSection.text(of: command.commandName)
    page += RemoteCacheSection.text(of: command.commandName)
    page += ManualSections.environment(of: command.commandName)
    page += ManualSections.files(of: command.commandName)
    page += ExitStatusSection.text(of: command.commandName)
    page += examples(CommandExamples.byCommand[command.commandName] ?? [])
    return page + ".Sh SEE ALSO\n.Xr imagemill 1 ,\n.Xr imagemill-manifest 5 ,\n.Xr imagemill-filters 7\n"
  }

  /// The operands of a command, with their meaning.
  private static func operandList(_ command: HelpDump.Command) -> String {
    positionals(command).map { argument in
      ".Bl -tag -width Ds\n.It Ar \(argument.valueName ?? "argument")\n\(text(argument.abstract ?? ""))\n.El\n"
    }.joined()
  }

  /// The options that all of several subcommands have, which the page lists once.
  private static func commonOptions(of subcommands: [HelpDump.Command]) -> Set<String> {
    guard subcommands.count > 1 else { return [] }
    let sets = subcommands.map { Set(($0.arguments ?? []).map(\.spelling)) }
    return sets.dropFirst().reduce(sets[0]) { $0.intersection($1) }
  }

  private static func synopsis(_ command: HelpDump.Command, hasSubcommands: Bool) -> String {
    var text = ".Nm imagemill Cm \(command.commandName)\n"
    if hasSubcommands { text += ".Ar subcommand\n" }
    text += ".Op Ar options\n"
    for argument in positionals(command) {
      let name = "Ar \(argument.valueName ?? "argument")\(argument.isRepeating ? " ..." : "")"
      text += argument.isOptional ? ".Op \(name)\n" : ".\(name)\n"
    }
    return text
  }

  /// The grammar of chains, as a display.
  static let chainGrammar = """
    .Bd -literal -offset indent
    chain    = filter *( "," filter )
    filter   = name *( ":" argument )
    argument = value / key "=" value
    .Ed
    .Pp
    """

  /// What a size is in a chain.
  static let sizes = """
    A size in pixels is
    .Ar width Ns x Ns Ar height ,
    one side such as
    .Li 800x
    or
    .Li x600
    (the other follows from the aspect ratio), or a percentage of the image's size such as
    .Li 50% .
    """

  /// `imagemill-filters(7)`, from the table of filters.
  static func filtersPage() -> String {
    var page = head("IMAGEMILL-FILTERS", section: 7)
    page += """
      .Sh NAME
      .Nm imagemill-filters
      .Nd filters and chains of imagemill
      .Sh DESCRIPTION
      A chain is a list of filters joined by commas, applied in order.
      A filter's arguments follow its name after colons: positional ones first, in the order below, then
      .Ar key Ns = Ns Ar value .
      \(ManualPage.chainGrammar)
      In a shell, quote a chain that has spaces or other characters that are special to the shell, such as
      .Ql 'text:It is $5' .
      Inside a value, write
      .Li %2C , %3A , %3D
      and
      .Li %25
      for a comma, a colon, an equals sign and a percent sign.
      Names are case-insensitive, and AlamofireImage's type names are accepted.
      An empty chain leaves the image unchanged.
      .Pp
      \(sizes)
      .Pp
      As a gravity,
      .Li attention
      keeps the part most likely to attract attention, and
      .Li entropy
      the part with the most detail; for
      .Ic pad , overlay
      and
      .Ic text ,
      both mean
      .Li center .
      A focal point such as
      .Li 0.3x0.7
      is a fraction of the width, from the left, and a fraction of the height, from the top.
      .Pp
      Every chain has an identifier: its filters with all parameters, in a fixed form.
      All spellings of a chain have the same identifier, which is part of the key of cached results.
      Identifiers spell center and color as
      .Ql centre
      and
      .Ql colour .

      """
    for category in FilterDefinition.Category.allCases {
      let filters = FilterTable.all.filter { $0.category == category }
      if filters.isEmpty { continue }
      page += ".Sh \(category.rawValue.uppercased())\n"
      if category == .coreImage { page += coreImage }
      for filter in filters {
        page += ".Ss \(filter.name)\n\(text(asSentence(filter.summary)))\n"
        if let expansion = filter.expansion { page += "Same as\n.Ql \(verbatim(expansion)) .\n" }
        if !filter.parameters.isEmpty {
          page += ".Bl -tag -width Ds\n"
          for parameter in filter.parameters {
            page += ".It Ar \(parameter.displayName)\n\(text(asSentence(parameter.summary)))\n"
            page += breakable(text("Values: \(parameter.type.summary)"))
            page +=
              parameter.displayDefault.map { text(" (default: \($0.isEmpty ? "empty" : $0))") }
              ?? (parameter.isRequired ? " (required)" : "")
            page += ".\n"
          }
          page += ".El\n"
        }
        if let requirement = filter.requirement { page += ".Pp\n\(requirement)\n" }
        if !filter.aliases.isEmpty {
          page += ".Pp\n" + filter.otherNames.map { text("\($0).") + "\n" }.joined()
        }
        page += ".Pp\n.Dl \(filter.exampleCommand)\n"
      }
    }
    return page + ".Sh SEE ALSO\n.Xr imagemill 1 ,\n.Xr imagemill-manifest 5\n"
  }

  /// The introduction of the filters with Core Image's names.
  private static let coreImage = """
    These filters reproduce Apple's Core Image filters, with their names and parameters.
    .Ql CIGaussianBlur:inputRadius=8
    is short for
    .Ql ci:CIGaussianBlur:inputRadius=8 .

    """

  // MARK: Parts

  static func head(_ title: String, section: Int) -> String {
    ".\\\" Generated by 'make manuals'.\n.Dd November 21, 2026\n.Dt \(title) \(section)\n.Os\n"
  }

  static func positionals(_ command: HelpDump.Command) -> [HelpDump.Argument] {
    (command.arguments ?? []).filter { $0.kind == "positional" && $0.shouldDisplay }
  }

  /// OPTIONS of a command, by section.
  static func options(_ command: HelpDump.Command) -> String {
    optionSections(command.arguments ?? [])
  }

  /// OPTIONS for these arguments, by section.
  static func optionSections(_ arguments: [HelpDump.Argument]) -> String {
    let arguments = arguments.filter { $0.kind != "positional" && $0.shouldDisplay }
    // Options without a title come first, not under the title before them.
    let sections = arguments.reduce(into: [""]) { sections, argument in
      let title = argument.sectionTitle ?? ""
      if !sections.contains(title) { sections.append(title) }
    }
    return ".Sh OPTIONS\n"
      + sections.map { section in
        (section.isEmpty ? "" : ".Ss \(section)\n") + (section == "Jobs" ? precedence : "")
          + optionList(arguments.filter { ($0.sectionTitle ?? "") == section })
      }.joined()
  }

  /// Which of an option and a manifest's key counts.
  private static let precedence = """
    An output option, such as
    .Fl \\-format
    or
    .Fl \\-quality ,
    overrides the manifest's
    .Ic defaults ,
    but not a key of a job or an output.
    .Fl f
    appends to the job's chain.

    """

  static func optionList(_ arguments: [HelpDump.Argument]) -> String {
    let options = arguments.filter { $0.kind != "positional" && $0.shouldDisplay }
    if options.isEmpty { return "" }
    let items = options.map { option in
      let names = (option.names ?? []).sorted { $0.kind == "short" && $1.kind != "short" }
        .map { $0.kind == "short" ? "Fl \($0.name)" : "Fl \\-\($0.name.replacing("-", with: "\\-"))" }
      // The parser knows no optional values; see ``Operands``.
      let macro = (option.names ?? []).contains { $0.name == "failed" } ? "Op Ar" : "Ar"
      let value = option.kind == "option" ? " \(macro) \(quoted(option.valueName ?? "value"))" : ""
      return ".It \(names.joined(separator: " , "))\(value)\n\(text(option.abstractWithDefault))\n"
    }
    return ".Bl -tag -width Ds\n" + items.joined() + ".El\n"
  }

  /// The paragraphs of the discussion, without its examples, which are indented.
  private static func prose(_ command: HelpDump.Command) -> [String] {
    let lines = (command.discussion ?? "").split(separator: "\n", omittingEmptySubsequences: false)
    return lines.split(whereSeparator: \.isEmpty).map { paragraph in
      paragraph.filter { !$0.hasPrefix("  ") }.joined(separator: " ")
        .replacing(" in imagemill-\(command.commandName)(1)", with: "")
    }
  }

  /// EXAMPLES, each with its purpose and its lines.
  private static func examples(_ examples: [CommandExamples.Example]) -> String {
    if examples.isEmpty { return "" }
    return ".Sh EXAMPLES\n"
      + examples.map { example in
        text(example.purpose) + "\n.Pp\n" + example.lines.map { ".Dl \($0)\n" }.joined()
      }.joined(separator: ".Pp\n")
  }

  /// Each output format with its encoder's options.
  private static var formatSections: String {
    var page = """
      .Sh FORMATS
      Formats read by default:
      .Li \(FormatSupport.readableByDefault.joined(separator: " ")) .
      Formats read with
      .Fl \\-allow-format :
      .Li \(FormatSupport.readableOnRequest.joined(separator: " ")) .
      .Li jxl
      can be written without an option, but is read only with
      .Fl \\-allow-format Cm jxl .
      .Pp
      Formats written, if the installed libvips supports them:

      """
    for definition in EncoderTable.all {
      let holds = [
        (definition.holdsAlpha, "transparency"), (definition.holdsTiming, "animation"),
        (definition.holdsFrames && !definition.holdsTiming, "pages of a TIFF source"),
        (definition.holds16Bits, "16 bits"),
      ].filter(\.0).map(\.1)
      page += ".Ss \(definition.format.rawValue)\n"
      page += text("\(definition.mediaType), .\(definition.pathExtensions.joined(separator: ", ."))")
      page += holds.isEmpty ? ".\n" : text("; holds \(holds.joined(separator: ", ")).") + "\n"
      if definition.options.isEmpty { continue }
      page += ".Bl -tag -width Ds\n"
      for option in definition.options {
        page += ".It Ic \(option.name)\n"
        page += text("\(option.help) Values: \(option.valueText) (default: \(option.defaultValue)).") + "\n"
      }
      page += ".El\n"
    }
    return page
  }

  private static func paragraphs(_ texts: [String]) -> String {
    texts.map { $0.split(separator: " ").joined(separator: " ") }.filter { !$0.isEmpty }
      .map { text($0) + "\n" }.joined(separator: ".Pp\n")
  }

  /// Text with each sentence on its own line, as mdoc requires.
  static func text(_ text: String) -> String {
    text.replacing(". ", with: ".\u{1}").split(separator: "\u{1}").map { verbatim(String($0)) }
      .joined(separator: "\n")
  }

  /// Text, escaped so that mdoc interprets nothing.
  static func verbatim(_ text: String) -> String {
    let escaped = text.replacing("\\", with: "\\e").replacing("…", with: "...").replacing("–", with: "-")
    return escaped.hasPrefix(".") || escaped.hasPrefix("'") ? "\\&" + escaped : escaped
  }

  /// Text with spaces in a list of words that is too long for a line.
  private static func breakable(_ text: String) -> String {
    text.split(separator: " ").map { String($0) }.map { $0.count > 60 ? $0.replacing("|", with: " | ") : $0 }
      .joined(separator: " ")
  }

  /// A phrase of a table as a sentence.
  private static func asSentence(_ phrase: String) -> String {
    phrase.prefix(1).uppercased() + phrase.dropFirst() + (phrase.hasSuffix(".") ? "" : ".")
  }

  private static func quoted(_ text: String) -> String { text.contains(" ") ? "\"\(text)\"" : text }

  private static func sentence(_ abstract: String?) -> String {
    let text = abstract ?? ""
    return text.prefix(1).lowercased() + text.dropFirst().prefix { $0 != "." && $0 != ";" && $0 != ":" }
  }
}
