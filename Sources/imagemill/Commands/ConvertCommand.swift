import ArgumentParser
import ImageBatch
import ImageCaches
import ImageDownloads
import ImageFilters
import Manifests
import Reports

/// One conversion, in this process; or several, by a template.
struct ConvertCommand: AsyncParsableCommand, TakesManyOperands {
  static let configuration = CommandConfiguration(
    commandName: "convert", abstract: "Convert one picture, or with -o several.",
    usage: """
      imagemill convert [<options>] <source> <output>
      imagemill convert [<options>] -o <template> <source> ...
      """,
    discussion: """
      The output's format follows its extension, or --format. 'imagemill filters' lists the filters.

        imagemill convert in.jpg -f fill:100x100,circle out.png
        curl … | imagemill convert - -f fit:800x600 - --format webp > out.webp
        imagemill convert -f limit:1600x -o 'small/{dir}/{name}.webp' photos *.jpg
      """)

  @Argument(
    help: ArgumentHelp(
      """
      The source: a path, an http(s), file or data URL, or '-' for standard input. The output: a path, which may have \
      a template's fields such as {ext}, or '-' for standard output. With -o, sources: paths, URLs, directories, or \
      patterns such as 'photos/**/*.heic'.
      """,
      valueName: "operand"),
    completion: .file())
  var operands: [OperandGroup]

  @OptionGroup(title: "Several sources") var several: SeveralSources

  @Flag(name: [.short, .long], help: "Say nothing but failures.")
  var quiet = false

  @Flag(name: [.short, .long], help: "Say what was written.")
  var verbose = false

  @OptionGroup(title: "Output") var outputs: OutputOptions
  @OptionGroup(title: "Limits") var limits: LimitOptions
  @OptionGroup(title: "Downloads") var downloads: DownloadOptions
  @OptionGroup(title: "Cache") var cache: CacheOptions

  func validate() throws {
    if quiet && verbose { throw ValidationError("--quiet and --verbose are opposites; ask for one") }
  }

  /// The output's path, which may have fields such as `{ext}`.
  private static func template(_ output: String) throws -> OutputTemplate? {
    guard let template = try OutputOptions.template(output) else { return nil }
    guard let field = template.unknownFields(variables: [String]()).first else { return template }
    throw Complaint(
      .usage,
      OutputOptions.pointed(
        output, at: field.offset, "nothing defines '{\(field.name)}'; write '{{' for a brace"))
  }

  func run() async throws {
    let words = operands.words
    if let template = several.template { return try await convertAll(words, to: template) }
    guard words.count > 1 else {
      throw Complaint(
        .usage,
        "the output is missing; write 'imagemill convert SOURCE OUTPUT', or -o TEMPLATE and the sources")
    }
    if words.count > 2 {
      throw Complaint(
        .usage,
        "unexpected argument '\(words[2])'; several sources need -o TEMPLATE, such as -o '{name}.webp'")
    }
    try await convert(words[0], to: words[1])
  }

  private func convert(_ source: String, to output: String) async throws {
    if output == "-" { try StandardOutput.refuseBinaryOnTerminal() }
    let source = try ImageSource(argument: source)
    let chain = try outputs.chain(for: source)
    let template = output == "-" ? nil : try Self.template(output)
    let encoding = try outputs.encoding(pathExtension: template?.literalPathExtension, chain: chain)
    let named = try outputs.sources()
    if output != "-" { try refuseOverwrite(of: [source] + named.values, by: output) }
    let session = try Session(
      downloads: downloads, cache: cache.settings, limits: limits,
      typedHosts: ([source] + named.values).compactMap(\.host))
    var conversion = Conversion(
      source: source, chain: chain, encoding: encoding, namedSources: named, limits: limits.limits(slots: 1),
      onCorrupt: limits.corruptPolicy)
    conversion.replacing = outputs.replacing
    conversion.template = template
    let result: Conversion.Outcome
    do throws(JobError) {
      result = try await conversion.run(downloader: session.downloader, store: session.store)
    } catch {
      await session.end()
      throw Complaint(
        error.isTemporary ? .temporary : .failed,
        "\(error.source ?? source.displayText): \(error.stage.rawValue): \(error.withRemedy.message)")
    }
    await session.end()
    for warning in result.warnings where !quiet { StandardError.write("imagemill: warning: \(warning)\n") }
    if result.isKept, let path = result.path {
      StandardError.write("imagemill: warning: \(path) is kept: it was there before\n")
    } else if verbose {
      let image = result.image
      StandardError.write(
        "imagemill: note: \(source.displayText): written \(result.path ?? "to standard output"), "
          + "\(image.width) × \(image.height) \(image.format.rawValue), \(QuantityText.bytes(image.bytes))"
          + (image.quality.map { ", quality \($0)" } ?? "") + "\n")
    }
    if let bytes = result.bytes { try StandardOutput.write(bytes) }
  }

  /// Converts every operand as `pipe` would. Without --verbose it writes failures and warnings only, as one conversion
  /// does.
  private func convertAll(_ words: [String], to template: String) async throws {
    var options = ManifestOptions()
    options.hints = Remedies.hints
    // Who runs the command has written the template, and what fields put in it is no way out.
    options.allowsOutside = true
    options.encoding = outputs.encoding
    options.namedSources = try outputs.sources()
    options.appendedChain = try outputs.chain()
    options.outputTemplate = try OutputOptions.template(template)
    let operands = try SourceOperands.jobs(
      words, options, allowed: limits.limits(slots: 1).allowedFormats)
    var batch = BatchSettings()
    batch.extent = verbose ? .everything : quiet ? .failures : .warnings
    batch.progress = verbose ? .auto : .none
    var run = BatchRun(
      downloads: downloads, cache: cache.settings, limits: limits, batch: batch, outputDirectory: ".",
      allowsOutside: true,
      reporting: try Reporting(batch))
    run.typedHosts =
      words.compactMap { SourceOperands.host(of: $0) } + options.namedSources.values.compactMap(\.host)
    run.commandTemplate = template
    run.replacing = outputs.replacing
    let status = try await run.run(JobItems(streams: [], operands: operands))
    if status != .success { throw status }
  }

  private func refuseOverwrite(of sources: [ImageSource], by output: String) throws {
    guard !outputs.inPlace, let target = FileIdentity(path: output) else { return }
    for case .file(let path) in sources where FileIdentity(path: path) == target {
      throw Complaint(
        .usage,
        "the output \(output) is the source \(path); name another output, or replace it with --in-place")
    }
  }
}

/// What `convert` does with more than one source.
struct SeveralSources: ParsableArguments {
  @Option(
    name: [.customShort("o"), .customLong("output")],
    help: ArgumentHelp(
      "The outputs' path, with fields such as {name}, {dir}, {ext}; every operand is then a source.",
      valueName: "template"))
  var template: String?
}
