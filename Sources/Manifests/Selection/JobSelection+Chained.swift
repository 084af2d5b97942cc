import ImageBatch
import ImageDownloads
import SystemIO

/// Where outputs are that the command line puts into another directory than their manifest's, by where the manifest has them.
/// Sources that are such outputs follow them.
struct MovedOutputs: Sendable {
  private var places: [[Substring]: String] = [:]

  var isEmpty: Bool { places.isEmpty }

  /// Adds the outputs of a manifest's jobs.
  /// - Parameters:
  ///   - own: The directory of outputs according to the manifest.
  ///   - place: The directory that replaces it.
  ///   - names: The names of the files that jobs read: few outputs have one, and only those may be sources. Nil if they aren't
  ///     known.
  mutating func add(_ jobs: [Job], from own: String, to place: String, names: Set<Substring>?) {
    guard names?.isEmpty != true, Self.absolute(own) != Self.absolute(place) else { return }
    let working = Paths.workingDirectory
    for job in jobs {
      let files = Set(job.allSources.compactMap(\.localPath).map(Self.absolute))
      for output in job.outputs
      where output.knownPath(of: job).map({ names?.contains(Paths.fileName($0)) != false }) == true {
        var job = job
        job.outputDirectory = own
        guard let from = job.location(of: output, from: working) else { continue }
        job.outputDirectory = place
        // An output in the place of its own source is none that others need.
        guard !files.contains(Self.absolute(from)), let to = job.location(of: output, from: working) else {
          continue
        }
        places[Self.absolute(from)] =
          Paths.relative(Self.absolute(to), to: Self.absolute(working)).joined(separator: "/")
      }
    }
  }

  private static func absolute(_ path: String) -> [Substring] {
    Paths.absoluteComponents(path, from: Paths.workingDirectory)
  }

  /// The job with sources that follow the outputs.
  func followed(by job: Job) -> Job {
    guard !isEmpty else { return job }
    func follow(_ source: ImageSource) -> ImageSource {
      source.localPath.flatMap { places[Self.absolute($0)] }.map { .file($0) } ?? source
    }
    var job = job
    job.sources = job.sources.map(follow)
    job.placeholder = job.placeholder.map(follow)
    for index in job.outputs.indices {
      job.outputs[index].namedSources = job.outputs[index].namedSources.mapValues(follow)
    }
    return job
  }
}

extension [Job] {
  /// The names of the local files that the jobs read.
  var namesOfFiles: Set<Substring> {
    Set(lazy.flatMap(\.allSources).compactMap(\.localPath).map(Paths.fileName))
  }
}
