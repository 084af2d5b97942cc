import ArgumentParser
import ImageBatch
import ImageDownloads
import Manifests

/// What is made: the manifests' jobs, with what the command line adds to them.
struct JobOptions: ParsableArguments {
  @OptionGroup(title: "Output") var output: OutputOptions

  @Option(
    name: [.customShort("C"), .customLong("output-dir")],
    help: ArgumentHelp("Outputs are inside it (default: the manifest's directory).", valueName: "dir"))
  var outputDirectory: String?

  @OptionGroup(title: "Manifest") var arguments: ManifestArguments

  /// Jobs with the settings of their origins.
  struct Input {
    var jobs: [Job] = []
    var origins: [String: OriginSettings] = [:]
  }

  /// Reads every manifest before anything is started. The jobs' indices are those of all manifests together.
  func read(_ manifests: [String]) throws -> Input {
    let (chain, sources) = (try output.chain(), try output.sources())
    var input = Input()
    for path in try ManifestArguments.paths(manifests) {
      let manifest = try arguments.read(path) { options in
        options.encoding = output.encoding
        options.appendedChain = chain.isEmpty ? nil : chain
        options.namedSources = sources
      }
      let directory = outputDirectory ?? manifest.outputDirectory ?? ManifestArguments.directory(of: path)
      for var job in manifest.jobs {
        job.index = input.jobs.count + 1
        job.outputDirectory = directory
        input.jobs.append(job)
      }
      input.origins.merge(manifest.originSettings()) { $1 }
    }
    return input
  }
}
