import ImageDownloads
import SystemIO

/// An output of a job, by the job's index and the output's position in it.
package struct OutputReference: Hashable, Sendable {
  package let job: Int
  package let output: Int
}

/// Which jobs make the sources of others.
///
/// A job needs an output if one of its sources, its placeholder or an image of its chains is the file that the output
/// writes. If that file is the writing job's own source, the others mean the original, and the writing job waits for them.
/// Only paths that are known before anything starts count: a template with `{hash}` or `{width}` names no file yet. Links of
/// directories are resolved, a link in the place of a file isn't.
package struct JobDependencies {
  /// For each job, by its position in the list, the outputs that it needs.
  private let needs: [[Producer]]
  /// For each job, by its position in the list, the jobs that have to end before it starts.
  private let predecessors: [[Int]]
  private let jobs: [Job]
  private let directory: String

  /// A place by its bytes: Swift takes texts with the same characters in other bytes for equal.
  private typealias Place = [UInt8]

  private struct Producer {
    let position: Int
    let output: Int
  }

  /// - Parameter jobs: The jobs, with their output directories. The cost is linear in their outputs.
  package init(_ jobs: [Job]) {
    self.jobs = jobs
    let directory = Paths.workingDirectory
    self.directory = directory
    var places = RealPlaces()
    let files = jobs.map { job in
      job.localImages.map { Array(places.place(of: Paths.absolute($0, from: directory)).utf8) }
    }
    let read = Set(files.joined())
    guard !read.isEmpty else {
      needs = jobs.map { _ in [] }
      predecessors = jobs.map { _ in [] }
      return
    }
    let names = Set(read.map { place in place[((place.lastIndex(of: UInt8(ascii: "/")) ?? -1) + 1)...] })
    var producers: [Place: [Producer]] = [:]
    // The jobs with an output in the place of their own source, by its location.
    var replacing: [Place: Set<Int>] = [:]
    for (position, job) in jobs.enumerated() {
      for (index, output) in job.outputs.enumerated() {
        // Few outputs have the name of a file that is read, and only their paths have to be made absolute.
        guard let path = output.knownPath(of: job), names.contains(Array(Paths.fileName(path).utf8)[...]),
          let location = job.location(of: output, from: directory).map({ Array(places.place(of: $0).utf8) }),
          read.contains(location)
        else { continue }
        if files[position].contains(location) {
          replacing[location, default: []].insert(position)
        } else {
          producers[location, default: []].append(Producer(position: position, output: index))
        }
      }
    }
    needs = files.map { files in files.flatMap { producers[$0] ?? [] } }
    var predecessors = needs.map { $0.map(\.position) }
    if !replacing.isEmpty {
      for (position, locations) in files.enumerated() {
        for location in locations {
          // Of equal jobs, none waits for the others.
          guard let writers = replacing[location], !writers.contains(position) else { continue }
          for writer in writers { predecessors[writer].append(position) }
        }
      }
    }
    self.predecessors = predecessors
  }

  // MARK: Order

  /// Jobs that wait for each other.
  package struct Circle: Sendable {
    /// The jobs, each of which waits for the next, and the last one for the first.
    package let jobs: [Job]
    /// For each job, whether it waits because it needs an output of the next one; otherwise it replaces a source of it.
    package let needsOutput: [Bool]
  }

  /// All circles of a list of jobs; of those that share a job, one for each way back to it.
  package struct Circles: Error {
    /// The circles, at least one and at most 20.
    package fileprivate(set) var circles: [Circle] = []
    fileprivate static let limit = 20
  }

  /// The jobs with what they need and what is needed of them, in the order of the list.
  /// - Throws: `Circles` if jobs wait for each other.
  package func ordered() throws(Circles) -> [Job] {
    var levels = [Int?](repeating: nil, count: jobs.count)
    var found = Circles()
    for start in jobs.indices where levels[start] == nil && found.circles.count < Circles.limit {
      setLevels(from: start, &levels, &found)
    }
    guard found.circles.isEmpty else { throw found }
    var needed: [Int: Set<Int>] = [:]
    for producer in needs.joined() { needed[producer.position, default: []].insert(producer.output) }
    return jobs.indices.map { position in
      var job = jobs[position]
      job.neededOutputs = needed[position] ?? []
      job.level = levels[position] ?? 0
      job.needs = needs[position].map { OutputReference(job: jobs[$0.position].index, output: $0.output) }
      return job
    }
  }

  /// Sets the level of a job and of all that it needs. A chain of jobs may be longer than a stack is deep, so the search
  /// keeps its own.
  private func setLevels(from start: Int, _ levels: inout [Int?], _ found: inout Circles) {
    var path: [(position: Int, next: Int)] = [(start, 0)]
    var isOnPath: Set<Int> = [start]
    while let (position, next) = path.last {
      let before = predecessors[position]
      guard next < before.count else {
        levels[position] = before.reduce(0) { max($0, (levels[$1] ?? 0) + 1) }
        isOnPath.remove(position)
        path.removeLast()
        continue
      }
      path[path.count - 1].next += 1
      let earlier = before[next]
      if levels[earlier] != nil { continue }
      guard isOnPath.insert(earlier).inserted else {
        let circle = path.drop { $0.position != earlier }
        if found.circles.count < Circles.limit {
          found.circles.append(
            Circle(
              jobs: circle.map { jobs[$0.position] },
              // The place of the next one among those that a job waits for: the ones that it needs come first.
              needsOutput: circle.map { $0.next <= needs[$0.position].count }))
        }
        continue
      }
      path.append((earlier, 0))
    }
  }

  /// Whether any of some jobs waits for another one, or another one for it.
  package func connects(_ isIncluded: (Job) -> Bool) -> Bool {
    jobs.indices.contains { position in
      let before = predecessors[position]
      return !before.isEmpty && (isIncluded(jobs[position]) || before.contains { isIncluded(jobs[$0]) })
    }
  }

  /// For each job, by its position in the list, the first position of those that it waits for or that wait for it, directly
  /// or not.
  package func components() -> [Int] {
    var parents = Array(jobs.indices)
    func root(_ position: Int) -> Int {
      var position = position
      while parents[position] != position {
        parents[position] = parents[parents[position]]
        position = parents[position]
      }
      return position
    }
    for position in jobs.indices {
      for earlier in predecessors[position] {
        let (first, second) = (root(position), root(earlier))
        parents[max(first, second)] = min(first, second)
      }
    }
    return jobs.indices.map(root)
  }

  // MARK: Selection

  /// The outputs at some paths, and all that they need.
  /// - Parameter targets: Paths, relative to the working directory.
  /// - Returns: The jobs with only those outputs, and the targets that no job makes.
  package func selecting(_ targets: [String]) -> (jobs: [Job], unknown: [String]) {
    var wanted: [OutputReference] = []
    var unknown: [String] = []
    var places = RealPlaces()
    let locations = Dictionary(
      targets.map { (Array(places.place(of: Paths.absolute($0, from: directory)).utf8), $0) },
      uniquingKeysWith: { first, _ in first })
    var found: Set<Place> = []
    for (position, job) in jobs.enumerated() {
      for (index, output) in job.outputs.enumerated() {
        guard
          let location = job.location(of: output, from: directory).map({ Array(places.place(of: $0).utf8) }),
          locations[location] != nil
        else { continue }
        found.insert(location)
        wanted.append(OutputReference(job: position, output: index))
      }
    }
    for (location, target) in locations where !found.contains(location) { unknown.append(target) }
    return (making(wanted), unknown.sorted())
  }

  /// Some jobs, with the outputs of others that they need.
  /// - Parameter isSelected: Whether a job is one of them.
  package func selecting(_ isSelected: (Job) -> Bool) -> [Job] {
    making(
      jobs.indices.filter { isSelected(jobs[$0]) }.flatMap { position in
        jobs[position].outputs.indices.map { OutputReference(job: position, output: $0) }
      })
  }

  /// The jobs with some outputs, by their positions in the list, and those that they need.
  private func making(_ outputs: [OutputReference]) -> [Job] {
    var wanted: [Int: Set<Int>] = [:]
    var queue: [Int] = []
    func want(_ position: Int, _ output: Int) {
      if wanted[position, default: []].insert(output).inserted { queue.append(position) }
    }
    for output in outputs { want(output.job, output.output) }
    while let position = queue.popLast() {
      // Whatever a job's outputs need is needed for each of them: they share the sources.
      for producer in needs[position] { want(producer.position, producer.output) }
    }
    return jobs.indices.compactMap { position -> Job? in
      guard let outputs = wanted[position] else { return nil }
      var job = jobs[position]
      job.outputs = job.outputs.enumerated().filter { outputs.contains($0.offset) }.map(\.element)
      return job
    }
  }
}

extension Job {
  /// The absolute path of an output, without resolving symbolic links; nil if it depends on content that isn't known yet.
  /// - Parameter directory: The directory that relative paths start from.
  package func location(of output: JobOutput, from directory: String) -> String? {
    guard let path = output.knownPath(of: self) else { return nil }
    return Paths.absolute(path, from: Paths.absolute(outputDirectory ?? "", from: directory))
  }
}
