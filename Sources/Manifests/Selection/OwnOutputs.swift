import ImageBatch
import SystemIO

/// The outputs of the files that a pattern matches. Once they are made, the pattern matches some of them like the originals: without
/// this, each run would make outputs of the last run's outputs.
///
/// A file is no source if it is the output of another one that is a source. A file that is written by its own job is a mistake of
/// the template, and stays a source, so that it is reported. Only paths that follow from a file's name count, not those with
/// `{index}` or with fields of the image.
struct OwnOutputs: Sendable {
  /// The most files for which outputs are remembered. For more, every match is a source.
  static let mostFiles = 20_000
  /// A place by its bytes: Swift takes texts with the same characters in other bytes for equal.
  private typealias Place = [UInt8]

  private var places = RealPlaces()
  /// The files that match, and for each place the positions of those that write it.
  private var files: [(path: String, place: Place)] = []
  private var writers: [Place: [Int]] = [:]
  private var isOverLimit = false
  /// The outputs of sources, and the files that their own jobs write.
  private var outputs: Set<Place> = []
  private var inPlace: Set<Place> = []

  /// Adds a file that matches, with its job.
  /// - Parameter directory: The directory of the outputs of a job without its own.
  mutating func add(_ file: String, _ job: Job, in directory: String) {
    guard !isOverLimit, files.count < Self.mostFiles else {
      (isOverLimit, files, writers) = (true, [], [:])
      return
    }
    let place = place(of: file)
    for output in job.outputLocations(in: directory)
    where !output.output.template.isObject
      && !output.output.template.fields.contains(where: { $0.name == "index" })
    {
      let written = self.place(of: output.location)
      if written == place { inPlace.insert(place) } else { writers[written, default: []].append(files.count) }
    }
    files.append((file, place))
  }

  /// Decides which of the added files are sources. Call it once, after the last one.
  mutating func decide() {
    var positions: [Place: [Int]] = [:]
    for (position, file) in files.enumerated() { positions[file.place, default: []].append(position) }
    // The files that each file writes, and the number of files that write it and aren't decided.
    var written = [[Int]](repeating: [], count: files.count)
    var undecided = [Int](repeating: 0, count: files.count)
    for (place, sources) in writers {
      for target in positions[place] ?? [] where !inPlace.contains(place) {
        undecided[target] = sources.count
        for source in sources { written[source].append(target) }
      }
    }
    var isSource = undecided.map { $0 == 0 ? true : nil as Bool? }
    var queue = files.indices.filter { undecided[$0] == 0 }
    while let position = queue.popLast() {
      for target in written[position] where isSource[target] == nil {
        undecided[target] -= 1
        if isSource[position] == true {
          isSource[target] = false
        } else if undecided[target] == 0 {
          isSource[target] = true
        }
        if isSource[target] != nil { queue.append(target) }
      }
    }
    // Files that write each other stay sources, and are reported.
    for (place, sources) in writers where sources.contains(where: { isSource[$0] != false }) {
      if !(positions[place] ?? []).contains(where: { isSource[$0] == nil }) { outputs.insert(place) }
    }
    leftOut = files.indices.filter { isSource[$0] == false }.map { files[$0].path }
    (files, writers) = ([], [:])
  }

  /// Whether a file is the output of another one, and no source.
  func contains(_ file: String) -> Bool {
    guard !outputs.isEmpty else { return false }
    var copy = self
    let place = copy.place(of: file)
    return outputs.contains(place) && !inPlace.contains(place)
  }

  /// The added files that are outputs of others. They are in the way of these outputs if no run has made them.
  private(set) var leftOut: [String] = []

  private mutating func place(of path: String) -> Place {
    Array(places.place(of: Paths.absolute(path)).utf8)
  }
}
