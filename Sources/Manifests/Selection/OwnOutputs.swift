import ImageBatch
import SystemIO

/// The outputs of the files that a pattern matches. Once they are made, the pattern matches some of them like the originals: without
/// this, each run would make outputs of the last run's outputs.
///
/// A file that is written by its own job is a mistake of the template, and stays a source, so that it is reported.
struct OwnOutputs: Sendable {
  /// The most files for which outputs are remembered. For more, every match is a source.
  private static let mostFiles = 20_000

  private let working = Paths.workingDirectory
  private var outputs: Set<String> = []
  /// The files that their own jobs write.
  private var inPlace: Set<String> = []
  private var files: [String] = []

  /// Adds a file that matches, with its job.
  /// - Parameter directory: The directory of the outputs of a job without its own.
  mutating func add(_ file: String, _ job: Job, in directory: String) {
    files.append(file)
    guard files.count <= Self.mostFiles else {
      (outputs, inPlace) = ([], [])
      return
    }
    let place = absolute(file)
    for output in job.outputLocations(in: directory) {
      let location = absolute(output.location)
      if location == place { inPlace.insert(place) } else { outputs.insert(location) }
    }
  }

  /// Whether a file is the output of another one, and no source.
  func contains(_ file: String) -> Bool {
    guard !outputs.isEmpty else { return false }
    let place = absolute(file)
    return outputs.contains(place) && !inPlace.contains(place)
  }

  /// The added files that are outputs of others. They are in the way of these outputs if no run has made them.
  var leftOut: [String] { files.filter(contains) }

  private func absolute(_ path: String) -> String {
    Paths.absoluteComponents(path, from: working).joined(separator: "/")
  }
}
