import Glibc
package import ImageCaches
import SystemIO

/// The outputs of a run that can't be written, as far as their paths are known before it.
package struct PlaceMistakes: Sendable {
  /// The outputs that would overwrite a source of any job.
  package var overwritten: [OverwrittenSource] = []
  /// The outputs whose path is a directory's, or leads through a file.
  package var occupied: [OccupiedPlace] = []

  /// Finds the outputs in one pass, with one system call for each. Files are compared by device and inode, following
  /// links.
  ///
  /// A file that an earlier run has made may be the source of another job: that job depends on it, and it may be written
  /// again.
  /// - Parameters:
  ///   - jobs: All jobs of the run.
  ///   - others: Jobs of the same manifests that aren't run now, whose sources are protected too. Default: none.
  ///   - files: Other files that the run reads, such as its manifests. Default: none.
  ///   - matched: Files that a pattern matches, and that are outputs of others. Default: none.
  ///   - directory: The output directory of jobs without their own.
  ///   - allowsOutside: Whether outputs may be outside their directory. Default: true.
  ///   - store: The store that records earlier runs' outputs; nil treats none as an earlier output.
  ///   - made: The digests of outputs that earlier runs have made elsewhere. Called at the first need. Default: none.
  /// - Throws: `CacheError` if the index can't be read.
  package init(
    in jobs: [Job], besides others: [Job] = [], files: [String] = [], matched: [String] = [],
    outputDirectory directory: String = ".", allowsOutside: Bool = true, store: DiskStore?,
    made: () -> Set<String> = { [] }
  ) throws(CacheError) {
    let sources = SourcePlaces(Self.inParts(jobs + others) { SourcePlaces($0) }).adding(files + matched)
    let matched = Set(matched.compactMap { FileIdentity(path: $0) })
    for found in Self.inParts(jobs, { Self.suspects(among: $0, directory, sources) }).joined() {
      switch found {
      case .occupied(let place): occupied.append(place)
      case .overwriting(let overwrite, nil): overwritten.append(overwrite)
      case .overwriting(var overwrite, let location?):
        if let store {
          if try Self.isMade(location, store, made) { continue }
          overwrite.isEdited = try store.registryEntry(at: location) != nil
          overwrite.isForeign = !overwrite.isEdited
          overwrite.isMatched =
            overwrite.isForeign && FileIdentity(path: location).map(matched.contains) == true
        }
        overwritten.append(overwrite)
      }
    }
    guard !allowsOutside else { return }
    var links = LinkedPlaces()
    occupied += jobs.flatMap { links.find(in: $0, outputDirectory: directory) }
  }

  /// The results for parts of the jobs, in order. A system call for each of ten thousand files takes a while.
  private static func inParts<Result: Sendable>(
    _ jobs: [Job], _ body: @Sendable (ArraySlice<Job>) -> Result
  ) -> [Result] {
    Parts.each(of: jobs.count, from: 256) { range, _ in body(jobs[range]) } ?? [body(jobs[...])]
  }

  /// The files and objects that jobs read.
  private struct SourcePlaces: Sendable {
    var readers: [FileIdentity: (source: String, jobs: Set<Int>)] = [:]
    var objects: Set<[UInt8]> = []

    init(_ jobs: ArraySlice<Job>) {
      for job in jobs {
        for path in job.localFiles {
          guard let identity = FileIdentity(path: path) else { continue }
          readers[identity, default: (path, [])].jobs.insert(job.index)
        }
        for object in job.objects { objects.insert(Array(object.description.utf8)) }
      }
    }

    /// The same with files that no job reads.
    func adding(_ files: [String]) -> SourcePlaces {
      var result = self
      for path in files {
        guard let identity = FileIdentity(path: path), readers[identity] == nil else { continue }
        result.readers[identity] = (path, [])
      }
      return result
    }

    init(_ parts: [SourcePlaces]) {
      for part in parts {
        readers.merge(part.readers) { ($0.source, $0.jobs.union($1.jobs)) }
        objects.formUnion(part.objects)
      }
    }
  }

  /// An output that may be a mistake.
  private enum Suspect: Sendable {
    case occupied(OccupiedPlace)
    /// The location is that of a file which other jobs read, and which an earlier run may have made; nil for a mistake in
    /// any case.
    case overwriting(OverwrittenSource, unlessMade: String?)
  }

  private static func suspects(
    among jobs: ArraySlice<Job>, _ directory: String, _ sources: SourcePlaces
  ) -> [Suspect] {
    var found: [Suspect] = []
    for job in jobs {
      for output in job.outputLocations(in: directory) {
        let place = output.output.location ?? job.location
        if let object = OutputDirectory.object(at: output.location) {
          guard sources.objects.contains(Array(object.description.utf8)) else { continue }
          let overwrite = OverwrittenSource(
            path: output.location, source: object.description, location: place)
          found.append(.overwriting(overwrite, unlessMade: nil))
          continue
        }
        let entry = OccupiedPlace.Entry(at: output.location)
        if let obstacle = entry.obstacle {
          found.append(.occupied(OccupiedPlace(path: output.path, obstacle: obstacle, location: place)))
        }
        if case .file = entry {
        } else if let source = own(output.location, of: job) {
          let overwrite = OverwrittenSource(path: output.location, source: source, location: place)
          found.append(.overwriting(overwrite, unlessMade: nil))
        }
        guard case .file(let identity) = entry, let reader = sources.readers[identity] else { continue }
        let overwrite = OverwrittenSource(path: output.location, source: reader.source, location: place)
        found.append(
          .overwriting(overwrite, unlessMade: reader.jobs.contains(job.index) ? nil : output.location))
      }
    }
    return found
  }

  /// The source of the job with an output's path, where no file is yet.
  private static func own(_ location: String, of job: Job) -> String? {
    let working = Paths.workingDirectory
    let components = Paths.absoluteComponents(location, from: working)
    return job.localFiles.first { Paths.absoluteComponents($0, from: working) == components }
  }

  /// The files that no run is known to have made.
  static func unmade(_ paths: [String], store: DiskStore) -> [String] {
    paths.filter { path in
      // If the index can't be read, every file is protected.
      do throws(CacheError) { return try !isMade(path, store) { [] } } catch { return true }
    }
  }

  /// Whether a run has made the file, also one that was killed before it could record that, or that is still running.
  private static func isMade(
    _ path: String, _ store: DiskStore, _ made: () -> Set<String>
  ) throws(CacheError) -> Bool {
    let fingerprints = FileDigestCache(store: store)
    if let entry = try store.registryEntry(at: path), fingerprints.isUnchanged(entry, at: path) {
      return true
    }
    guard let file = FileDigestCache.File(path: path), let digest = fingerprints.digests(of: [file])[file]
    else {
      return false
    }
    // An output's bytes are recorded before it is put in place.
    return try store.isOutput(digest) || made().contains(digest.hex)
  }
}
