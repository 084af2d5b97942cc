import ImageBatch
import ImageDownloads
import SystemIO

extension [Job] {
  /// The jobs of a manifest whose outputs go to another directory than the manifest's own. A source that is an output of
  /// the manifest follows it there.
  /// - Parameters:
  ///   - own: The directory of outputs according to the manifest.
  ///   - place: The directory that replaces it.
  func following(from own: String, to place: String) -> [Job] {
    let working = Paths.workingDirectory
    let absolute = { (path: String) in Paths.absoluteComponents(path, from: working) }
    guard absolute(own) != absolute(place) else { return self }
    // Few outputs have the name of a file that is read, and only those may be sources.
    let names = Set(lazy.flatMap(\.allSources).compactMap(\.localPath).map(Paths.fileName))
    guard !names.isEmpty else { return self }
    // Where each output is, by where it would be.
    var moved: [[Substring]: String] = [:]
    for job in self {
      let files = Set(job.allSources.compactMap(\.localPath).map(absolute))
      for output in job.outputs
      where output.knownPath(of: job).map({ names.contains(Paths.fileName($0)) }) == true {
        var job = job
        job.outputDirectory = own
        guard let from = job.location(of: output, from: working) else { continue }
        job.outputDirectory = place
        // An output in the place of its own source is none that others need.
        guard !files.contains(absolute(from)), let to = job.location(of: output, from: working) else {
          continue
        }
        moved[absolute(from)] = Paths.relative(absolute(to), to: absolute(working)).joined(separator: "/")
      }
    }
    let follow = { (source: ImageSource) -> ImageSource in
      guard let path = source.localPath, let new = moved[absolute(path)] else { return source }
      return .file(new)
    }
    return map { job in
      var job = job
      job.sources = job.sources.map(follow)
      job.placeholder = job.placeholder.map(follow)
      for index in job.outputs.indices {
        job.outputs[index].namedSources = job.outputs[index].namedSources.mapValues(follow)
      }
      return job
    }
  }
}
