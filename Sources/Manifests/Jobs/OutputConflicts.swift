import ImageBatch
import ImageDownloads
import SystemIO

/// Finds outputs with the same path and different content before anything starts, as far as paths are known by then.
enum OutputConflicts {
  /// Everything that determines an output's content.
  struct Content: Hashable {
    var sources: [ImageSource]
    var chain: String
    var encoding: String
    var named: [String: ImageSource]

    init(_ output: JobOutput, of job: Job) {
      sources = job.sources
      chain = output.chain.identifier
      encoding = output.encoding.identifier
      named = output.namedSources
    }
  }

  /// - Parameters:
  ///   - jobs: The jobs in order, with those that have other mistakes.
  ///   - drafts: The places of those with mistakes, whose contents aren't known: equal paths are an error if the sources differ.
  ///   - directory: The directory of the outputs.
  static func check(
    _ jobs: [Job], drafts: Set<ManifestLocation>, in directory: String, log: inout DiagnosticLog
  ) {
    // The positions of the job and of its output.
    var taken: [[UInt8]: (job: Int, output: Int)] = [:]
    var places = RealPlaces()
    let base = Paths.joined(places.place(ofDirectory: Paths.absolute(directory)), "")
    // Each relative directory with a slash, without links, relative to the directory of outputs if it lies inside.
    var prefixes: [[UInt8]: String] = [:]
    func place(of path: String, isObject: Bool) -> String {
      let entry = DirectoryEntry(path)
      guard !isObject, entry.directory != ".", !Paths.isAbsolute(path) else { return path }
      let key = Array(entry.directory.utf8)
      if let known = prefixes[key] { return known + entry.name }
      let real = Paths.joined(places.place(ofDirectory: base + entry.directory), "")
      let isInside = real.utf8.starts(with: base.utf8)
      let prefix = isInside ? String(Substring(real.utf8.dropFirst(base.utf8.count))) : real
      prefixes[key] = prefix
      return prefix + entry.name
    }
    for (position, job) in jobs.enumerated() {
      for (index, output) in job.outputs.enumerated() {
        guard let path = path(of: output, job) else { continue }
        let place = Array(place(of: path, isObject: output.template.isObject).utf8)
        guard let first = taken[place] else {
          taken[place] = (position, index)
          continue
        }
        let (firstJob, other) = (jobs[first.job], jobs[first.job].outputs[first.output])
        let differ =
          !drafts.isEmpty && [job, firstJob].contains { $0.location.map(drafts.contains) == true }
          ? !job.sources.isEmpty && !firstJob.sources.isEmpty && job.sources != firstJob.sources
          : Content(other, of: firstJob) != Content(output, of: job)
        guard differ, let place = output.location else { continue }
        log.error(
          TextPlace(line: place.line, column: place.column),
          message(path, at: place, first: other.location.map { ($0.file, $0.line) }))
      }
    }
    checkDirectories(of: jobs, log: &log) { path in
      taken[Array(path.utf8)].map { jobs[$0.job].outputs[$0.output].location }
    }
  }

  /// Reports outputs in a directory whose path is another output's.
  /// - Parameter taken: The location of the output with a path; nil if no output has it.
  private static func checkDirectories(
    of jobs: [Job], log: inout DiagnosticLog, taken: (String) -> ManifestLocation??
  ) {
    // Thousands of outputs have few directories.
    var free: Set<String> = [".", "/"]
    for job in jobs {
      for output in job.outputs where !output.template.isObject {
        guard let path = path(of: output, job), let place = output.location else { continue }
        var directory = DirectoryEntry(path).directory
        while free.insert(directory).inserted {
          if let other = taken(directory) {
            free.remove(directory)
            let line =
              other.map { $0.file == place.file ? " in line \($0.line)" : " at \($0.file):\($0.line)" } ?? ""
            log.error(
              TextPlace(line: place.line, column: place.column),
              "'\(path)' can't be written: '\(directory)' is the output\(line), a file; rename one of them")
            break
          }
          directory = DirectoryEntry(directory).directory
        }
      }
    }
  }

  /// Reports outputs that would overwrite a source of their own job, or another file that the run reads.
  /// - Parameters:
  ///   - files: The manifest and its tables.
  ///   - directory: The directory of the outputs.
  static func checkSources(
    of jobs: [Job], besides files: [String], in directory: String, hint: String, log: inout DiagnosticLog
  ) {
    for job in jobs {
      for overwrite in OverwrittenSource.own(of: job, besides: files, outputDirectory: directory) {
        guard let place = overwrite.location else { continue }
        log.error(
          TextPlace(line: place.line, column: place.column), overwrite.error.message + hint)
      }
    }
  }

  /// Reports outputs whose path is a directory's, or leads through a file or, by a link, out of the directory of outputs.
  /// - Parameters:
  ///   - directory: The directory of the outputs.
  ///   - options: Whether outputs may lie outside, and the hint for those that do.
  static func checkPlaces(
    of jobs: [Job], in directory: String, _ options: ManifestOptions, log: inout DiagnosticLog
  ) {
    var links = LinkedPlaces()
    for job in jobs {
      for occupied in OccupiedPlace.find(in: job, outputDirectory: directory) {
        guard let place = occupied.location else { continue }
        log.error(TextPlace(line: place.line, column: place.column), occupied.message)
      }
      guard !options.allowsOutside else { continue }
      for linked in links.find(in: job, outputDirectory: directory) {
        guard let place = linked.location else { continue }
        log.error(
          TextPlace(line: place.line, column: place.column),
          "\(linked.message); move it inside\(options.hints.outside)")
      }
    }
  }

  static func message(
    _ path: String, at place: ManifestLocation, first: (file: String, line: Int)?
  ) -> String {
    let other =
      first.map { first in
        guard first.file == place.file else { return " (first at \(first.file):\(first.line))" }
        return first.line == place.line ? "" : " (first in line \(first.line))"
      } ?? ""
    return
      "two outputs have the path '\(path)'\(other): rename one, or use a field that differs, such as"
      + " {index}, {width} or a variable"
  }

  /// The output's path, normalized; nil if a field isn't known yet.
  static func path(of output: JobOutput, _ job: Job) -> String? {
    output.knownPath(of: job).map { output.template.isObject ? $0 : Paths.normalized($0) }
  }

  /// The absolute path of an output, without resolving symbolic links.
  static func location(of path: String, _ job: Job, isObject: Bool) -> String {
    if isObject { return path }
    return Paths.absolute(path, from: Paths.absolute(job.outputDirectory ?? ""))
  }
}
