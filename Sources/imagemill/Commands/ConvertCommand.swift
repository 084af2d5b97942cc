import ArgumentParser
import ImageBatch
import ImageCaches
import ImageDownloads
import ImageFilters
import Reports

/// One conversion, in this process.
struct ConvertCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "convert", abstract: "Convert one picture; either side may be '-'.",
    discussion: """
      The output's format follows its extension, or --format. 'imagemill filters' lists the filters.

        imagemill convert in.jpg -f fill:100x100,circle out.png
        curl … | imagemill convert - -f fit:800x600 - --format webp > out.webp
      """)

  @Argument(
    help: "A path, an http(s), file or data URL, or '-' for standard input.", completion: .file())
  var source: String

  @Argument(
    help: "A path, which may have a template's fields such as {ext}, or '-' for standard output.",
    completion: .file())
  var output: String

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
    if output == "-" { try StandardOutput.refuseBinaryOnTerminal() }
    let source = try ImageSource(argument: source)
    let chain = try outputs.chain(for: source)
    let template = output == "-" ? nil : try Self.template(output)
    let encoding = try outputs.encoding(pathExtension: template?.literalPathExtension, chain: chain)
    let named = try outputs.sources()
    if output != "-" { try refuseOverwrite(of: [source] + named.values) }
    let session = try Session(
      downloads: downloads, cache: cache, limits: limits,
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
        "\(error.source ?? source.displayText): \(error.stage.rawValue): \(error.message)")
    }
    await session.end()
    for warning in result.warnings where !quiet { StandardError.write("imagemill: warning: \(warning)\n") }
    if result.isKept, let path = result.path {
      StandardError.write("imagemill: warning: \(path) is kept: it was there before\n")
    } else if verbose {
      let image = result.image
      StandardError.write(
        "imagemill: note: \(source.displayText): written \(result.path ?? "to standard output"), "
          + "\(image.width) × \(image.height) \(image.format.rawValue), \(QuantityText.bytes(image.bytes))\n")
    }
    if let bytes = result.bytes { try StandardOutput.write(bytes) }
  }

  private func refuseOverwrite(of sources: [ImageSource]) throws {
    guard !outputs.inPlace, let target = FileIdentity(path: output) else { return }
    for case .file(let path) in sources where FileIdentity(path: path) == target {
      throw Complaint(
        .usage,
        "the output \(output) is the source \(path); name another output, or replace it with --in-place")
    }
  }
}
