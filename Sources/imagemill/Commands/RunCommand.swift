import ArgumentParser
import Foundation
import ImageBatch
import ImageDownloads
import Manifests

/// Every job of the manifests.
struct RunCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "run", abstract: "Make every output of the manifests.",
    discussion: """
      Every source is downloaded once, equal outputs are rendered once, and what is in place with the right bytes \
      is left alone. A job that fails costs no other.

        imagemill run
        imagemill run -C public --report report.html images.yaml
      """)

  @Argument(help: "Manifests; '-' is standard input (default: imagemill.yaml, .yml, .toml or .json here).")
  var manifests: [String] = []

  @OptionGroup(title: "Output") var output: OutputOptions
  @Option(
    name: [.customShort("C"), .customLong("output-dir")],
    help: ArgumentHelp("Outputs are inside it (default: the manifest's directory).", valueName: "dir"))
  var outputDirectory: String?
  @OptionGroup(title: "Manifest") var arguments: ManifestArguments
  @OptionGroup(title: "Run") var batch: BatchOptions
  @OptionGroup(title: "Downloads") var downloads: DownloadOptions
  @OptionGroup(title: "Limits") var limits: LimitOptions
  @OptionGroup(title: "Cache") var cache: CacheOptions

  func run() async throws {
    var (jobs, origins) = ([Job](), [String: OriginSettings]())
    for (manifest, directory) in try read() {
      for var job in manifest.jobs {
        job.index = jobs.count + 1
        job.outputDirectory = directory
        jobs.append(job)
      }
      origins.merge(manifest.originSettings()) { $1 }
    }
    let reporting = try Reporting(batch)
    await reporting.receive(.jobsCounted(jobs.count))
    let run = BatchRun(
      downloads: downloads, cache: cache, limits: limits, batch: batch, origins: origins,
      outputDirectory: ".", allowsOutside: arguments.allowOutside, reporting: reporting)
    let status = try await run.run(SequenceStream(JobGroup.grouping(jobs).map(BatchItem.group)))
    if status != .success { throw status }
  }

  /// All manifests, before anything is started; each with the directory that its outputs go to.
  private func read() throws -> [(Manifest, String)] {
    let (chain, sources) = (try output.chain(), try output.sources())
    return try ManifestArguments.paths(manifests).map { path in
      let manifest = try arguments.read(path) { options in
        options.encoding = output.encoding
        options.appendedChain = chain.isEmpty ? nil : chain
        options.namedSources = sources
      }
      return (manifest, outputDirectory ?? manifest.outputDirectory ?? ManifestArguments.directory(of: path))
    }
  }
}
