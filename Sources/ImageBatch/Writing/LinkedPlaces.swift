import SystemIO

/// Finds outputs whose directory is outside of that of all outputs, because of a link. Thousands of outputs have few directories,
/// whose places are remembered.
package struct LinkedPlaces {
  private struct Pair: Hashable {
    let root: String
    let directory: String
  }

  private var places = RealPlaces()
  /// Where the directories lead; nil for those inside.
  private var targets: [Pair: String?] = [:]

  /// Makes a finder that remembers nothing.
  package init() {}

  /// Finds such outputs of a job, as far as their paths are known before the run.
  /// - Parameters:
  ///   - job: The job.
  ///   - directory: The output directory of a job without its own.
  package mutating func find(in job: Job, outputDirectory directory: String = ".") -> [OccupiedPlace] {
    let root = job.outputDirectory ?? directory
    var found: [OccupiedPlace] = []
    for output in job.outputLocations(in: directory) {
      guard !output.output.template.isObject, !Paths.isAbsolute(output.path) else { continue }
      let pair = Pair(root: root, directory: DirectoryEntry(output.location).directory)
      if targets[pair] == nil {
        let place = real(pair.directory)
        targets[pair] = .some(place.utf8.starts(with: real(root).utf8) ? nil : String(place.dropLast()))
      }
      guard let target = targets[pair] ?? nil else { continue }
      found.append(
        OccupiedPlace(
          path: output.path, obstacle: .link(target), location: output.output.location ?? job.location))
    }
    return found
  }

  /// A directory without links, with a slash at its end.
  private mutating func real(_ path: String) -> String {
    Paths.joined(places.place(ofDirectory: Paths.absolute(path)), "")
  }
}
