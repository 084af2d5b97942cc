import ArgumentParser
import ImageBatch
import ImageCaches
import ImageDownloads
import ImageFilters
import ImageRendering
import Manifests
import ObjectStorage
import Reports
import SystemIO

/// Converts one image in this process or a worker, or several as a batch.
struct ConvertCommand: AsyncParsableCommand, TakesManyOperands {
  static let configuration = CommandConfiguration(
    commandName: "convert", abstract: "Convert one image, or several with -o.",
    usage: """
      imagemill convert [<options>] <source> <output>
      imagemill convert [<options>] -o <template> <source> ...
      """,
    discussion: """
      The output's extension or --format sets its format. 'imagemill filters' lists the filters.

        imagemill convert in.jpg -f fill:100x100,circle out.png
        curl … | imagemill convert - -f fit:800x600 - --format webp > out.webp
        imagemill convert -f limit:1600x -o 'small/{dir}/{name}.webp' photos *.jpg
      """)

  @Argument(
    help: ArgumentHelp(
      """
      The image to convert, and the file to write. The source is a path, an http(s), S3, file or data URL, or '-' for \
      standard input. The output is a path, an S3 URL, or '-' for standard output. A path or an S3 URL may use template fields \
      such as {ext}. With -o, every operand is a source: a path, a URL, a directory, or a pattern such as \
      'photos/**/*.heic'. {dir} is then the source's directory: for a file, relative to the current directory, or \
      empty if the file is outside it; for a directory, relative to that directory; for a pattern, relative to the part before its first \
      special character. A file that is the output of another source, as after an earlier conversion, is not converted.
      """,
      valueName: "source output"),
    completion: .file())
  var operands: [OperandGroup]

  @OptionGroup(title: "Several sources") var several: SeveralSources

  @Flag(name: [.short, .long], help: "Print only failures.")
  var quiet = false

  @Flag(name: [.short, .long], help: "Print what was written.")
  var verbose = false

  @OptionGroup(title: "Output") var outputs: OutputOptions
  @OptionGroup(title: "Limits") var limits: LimitOptions
  @OptionGroup(title: "Worker process") var worker: ConversionWorkerOptions
  @OptionGroup(title: "Downloads") var downloads: DownloadOptions
  @OptionGroup(title: "Cache") var cache: CacheOptions

  func validate() throws {
    if quiet && verbose { throw ValidationError("--quiet and --verbose can't be used together") }
  }

  /// The output's path as a template, with fields such as `{ext}`.
  private static func template(_ output: String) throws -> OutputTemplate? {
    guard let template = try OutputOptions.template(output) else { return nil }
    guard let field = template.unknownFields(variables: [String]()).first else { return template }
    throw CommandError(
      .usage,
      OutputOptions.pointed(
        output, at: field.offset, "unknown field '{\(field.name)}'; write '{{' for a brace"))
  }

  func run() async throws {
    let words = operands.words
    if let template = several.template { return try await convertAll(words, to: template) }
    guard words.count > 1 else {
      throw CommandError(
        .usage,
        "no output given; write 'imagemill convert SOURCE OUTPUT', or -o TEMPLATE before the sources")
    }
    if words.count > 2 {
      throw CommandError(
        .usage,
        ChainHints.complaint(words, chains: outputs.filters)
          ?? "unexpected argument '\(words[2])'; several sources need -o TEMPLATE, such as -o '{name}.webp'")
    }
    if ObjectAddress.isAddress(words[1]) { return try await convertAll([words[0]], to: words[1]) }
    try await convert(words[0], to: words[1])
  }

  private func convert(_ source: String, to output: String) async throws {
    if output == "-" { try StandardOutput.refuseBinaryOnTerminal() }
    if StandardOutput.names.contains(output) {
      throw CommandError(
        .usage, "can't replace \(output), which isn't a regular file; for standard output write '-'")
    }
    let source = try ImageSource(argument: source)
    if case .file(let path) = source, Directory.exists(at: path) {
      throw CommandError(
        .usage,
        "the source \(path) is a directory; for all its images, write 'imagemill convert \(ShellWord.quoted(path)) "
          + "-o '{dir}/{name}.webp''")
    }
    if case .file(let path) = source { try refusePattern(path) }
    let (chain, template, encoding, named) = try parts(of: source, output)
    if let template {
      let files = ([source] + named.values).compactMap(\.localPath)
      let planned = JobOutput(template: template, chain: chain, encoding: encoding)
      try refuseOverwrite(of: files + planned.fontsAndProfiles, by: output)
    }
    var conversion = Conversion(
      source: source, chain: chain, encoding: encoding, namedSources: named, limits: limits.limits(slots: 1),
      onCorrupt: limits.corruptPolicy)
    conversion.replacing = outputs.replacing
    conversion.durability = outputs.durability.level
    conversion.template = template
    conversion.rendering = worker.mode(limits)
    try await CommandServices.with(
      downloads: downloads, cache: cache.settings, limits: limits,
      typedHosts: ([source] + named.values).compactMap(\.host)
    ) { [conversion] services in
      let outcome: Conversion.Outcome
      do throws(JobError) {
        outcome = try await conversion.run(downloader: services.downloader, store: services.store)
      } catch {
        throw CommandError(
          error.isTemporary ? .temporary : .failed,
          "\(error.source ?? source.displayText): \(error.stage.rawValue): "
            + error.withRemedy(ofJob: source.displayText).message)
      }
      try present(outcome, of: source)
    }
  }

  /// Refuses a source that is no file, but a pattern for files.
  private func refusePattern(_ path: String) throws {
    guard !File.exists(path) else { return }
    do throws(SourcePattern.Failure) {
      guard try SourcePattern(path)?.hasMatches == true else { return }
    } catch {
      // No file has such a name either, which is reported.
      return
    }
    throw CommandError(
      .usage, "'\(path)' is a pattern; several sources need -o TEMPLATE, such as -o '{name}.webp'")
  }

  /// What the options say about one conversion; the template is nil for standard output.
  /// - Throws: `CommandError` with all mistakes.
  private func parts(
    of source: ImageSource, _ output: String
  ) throws -> (FilterChain, OutputTemplate?, Encoding, [String: ImageSource]) {
    var mistakes = UsageMistakes()
    let chain = try mistakes.noting { try outputs.chain(for: source) }
    let template = try mistakes.noting { () throws -> OutputTemplate? in
      if output == "-" { return nil }
      let template = try Self.template(output)
      if output.hasSuffix("/") || Directory.exists(at: output) {
        throw CommandError(
          .usage,
          "the output \(output) is a directory; name a file in it, or use -o "
            + "'\(output.hasSuffix("/") ? output : output + "/"){name}.webp'")
      }
      return template
    }
    // Without the path, the format isn't known.
    let encoding = try template.flatMap { template in
      try mistakes.noting { try outputs.encoding(for: template, chain: chain ?? FilterChain()) }
    }
    if template == nil { mistakes.add(outputs.typedMistakes) }
    let named = try mistakes.noting(outputs.sources)
    guard let chain, let template, let encoding, let named, mistakes.messages.isEmpty else {
      throw mistakes.error
    }
    return (chain, template, encoding, named)
  }

  /// Reports a conversion, and writes its bytes if they go to standard output.
  private func present(_ result: Conversion.Outcome, of source: ImageSource) throws {
    for warning in result.warnings where !quiet { StandardError.say("imagemill: warning: \(warning)") }
    if result.isKept, let path = result.path {
      StandardError.say("imagemill: warning: \(path) is kept, because it already exists")
    } else if verbose {
      let image = result.image
      StandardError.say(
        "imagemill: note: \(source.displayText): written \(result.path ?? "to standard output"), "
          + "\(image.width) × \(image.height) \(image.format.rawValue), \(QuantityText.bytes(image.bytes))"
          + (image.quality.map { ", quality \($0)" } ?? ""))
    }
    if let bytes = result.bytes { try StandardOutput.write(bytes) }
  }

  /// Converts every operand as `pipe` would. Without `--verbose` it prints failures and warnings only, as one
  /// conversion does.
  private func convertAll(_ words: [String], to template: String) async throws {
    try ObjectDestination(template: template).check(
      downloads, refusing: [(cache.offline, ObjectDestination.offline)])
    var options = ManifestOptions()
    options.hints = Remedies.hintsOfSources
    // The template comes from the user, and fields can't make a path leave its directory.
    options.allowsOutside = true
    outputs.setEncoding(in: &options)
    options.namedSources = try outputs.sources()
    let operands = try outputs.readingJobs(options, template: { try OutputOptions.template(template) }) {
      try SourceOperands.jobs(
        words, $0, allowed: limits.limits(slots: 1).allowedFormats, replacesSources: outputs.inPlace)
    }
    if !quiet { operands.noteLeftOut() }
    var batch = BatchSettings()
    batch.extent = verbose ? .everything : quiet ? .failures : .warnings
    batch.jobTimeout = worker.jobTimeout.duration
    if let sandbox = worker.sandbox { batch.sandbox = sandbox.sandbox }
    batch.progress = verbose ? .auto : .none
    var run = BatchRun(
      downloads: downloads, cache: cache.settings, limits: limits, batch: batch, outputDirectory: ".",
      allowsOutside: true,
      reporting: try Reporting(
        batch, continuation: Continuation(readsInput: words.contains("-"), repeatsWhole: true)))
    run.typedHosts =
      words.compactMap { SourceOperands.host(of: $0) } + options.namedSources.values.compactMap(\.host)
    run.commandTemplate = template
    run.replacing = outputs.replacing
    run.durability = outputs.durability.level
    run.objectFields = try outputs.objectFields()
    let named = options.namedSources.values.compactMap(\.localPath)
    run.refusePlaces = { [replacing = outputs.replacing] store in
      try operands.refusePlaces(replacing, besides: named, store: store)
    }
    let status = try await run.run(JobItems(operands: operands)).status
    if status != .success { throw status }
  }

  private func refuseOverwrite(of files: [String], by output: String) throws {
    guard !outputs.inPlace, let target = FileIdentity(path: output) else { return }
    for path in files where FileIdentity(path: path) == target {
      throw CommandError(
        .usage,
        "the output \(output) is the source \(path == "/dev/stdin" ? "on standard input" : path); name another output, or "
          + "replace it with --in-place")
    }
  }
}

/// The option for more than one source.
struct SeveralSources: ParsableArguments {
  @Option(
    name: [.customShort("o"), .customLong("output")],
    help: ArgumentHelp(
      "Output path template, with fields such as {name}, {dir} and {ext}; every operand is then a source.",
      valueName: "template"))
  var template: String?
}
