import ArgumentParser
import ImageBatch
import ImageCaches
import ImageDownloads
import ImageFilters

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

  @Argument(help: "A path, or '-' for standard output.", completion: .file())
  var output: String

  @OptionGroup(title: "Output") var outputs: OutputOptions
  @OptionGroup(title: "Limits") var limits: LimitOptions
  @OptionGroup(title: "Downloads") var downloads: DownloadOptions
  @OptionGroup(title: "Cache") var cache: CacheOptions

  func run() async throws {
    let source = try ImageSource(argument: source)
    let chain = try outputs.chain(for: source)
    let encoding = try outputs.encoding(
      pathExtension: output == "-" ? nil : pathExtension(of: output), chain: chain)
    let named = try outputs.sources()
    if output != "-" { try refuseOverwrite(of: [source] + named.values) }
    let session = try Session(
      downloads: downloads, cache: cache, limits: limits,
      typedHosts: ([source] + named.values).compactMap(\.host))
    var conversion = Conversion(
      source: source, chain: chain, encoding: encoding, namedSources: named, limits: limits.limits(slots: 1),
      onCorrupt: limits.corruptPolicy, destination: output == "-" ? nil : output)
    conversion.replacing = outputs.replacing
    do throws(JobError) {
      let result = try await conversion.run(downloader: session.downloader, store: session.store)
      for warning in result.warnings { StandardError.write("imagemill: warning: \(warning)\n") }
      if let bytes = result.bytes { StandardOutput.write(bytes) }
      if result.isKept { StandardError.write("imagemill: warning: \(output) is kept: it was there before\n") }
    } catch {
      await session.end()
      throw Complaint(
        error.isTemporary ? .temporary : .failed,
        "\(error.source ?? source.displayText): \(error.stage.rawValue): \(error.message)")
    }
    await session.end()
  }

  private func refuseOverwrite(of sources: [ImageSource]) throws {
    guard !outputs.inPlace, let target = FileIdentity(path: output) else { return }
    for case .file(let path) in sources where FileIdentity(path: path) == target {
      throw Complaint(
        .usage,
        "the output \(output) is the source \(path); name another output, or replace it with --in-place")
    }
  }

  private func pathExtension(of path: String) -> String? {
    guard let name = path.split(separator: "/").last, let dot = name.lastIndex(of: "."),
      dot != name.startIndex
    else { return nil }
    return String(name[name.index(after: dot)...])
  }
}
