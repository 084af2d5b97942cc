import Glibc
package import ImageCaches

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
  ///   - directory: The output directory of jobs without their own.
  ///   - store: The store that records earlier runs' outputs; nil treats none as an earlier output.
  ///   - made: The digests of outputs that earlier runs have made elsewhere. Called at the first need. Default: none.
  /// - Throws: `CacheError` if the index can't be read.
  package init(
    in jobs: [Job], outputDirectory directory: String = ".", store: DiskStore?,
    made: () -> Set<String> = { [] }
  ) throws(CacheError) {
    var readers: [FileIdentity: (source: String, jobs: Set<Int>)] = [:]
    var objects: Set<[UInt8]> = []
    for job in jobs {
      for path in job.localFiles {
        guard let identity = FileIdentity(path: path) else { continue }
        readers[identity, default: (path, [])].jobs.insert(job.index)
      }
      for object in job.objects { objects.insert(Array(object.description.utf8)) }
    }
    for job in jobs {
      for output in job.outputLocations(in: directory) {
        let place = output.output.location ?? job.location
        if let object = OutputDirectory.object(at: output.location) {
          guard objects.contains(Array(object.description.utf8)) else { continue }
          overwritten.append(
            OverwrittenSource(path: output.path, source: object.description, location: place))
          continue
        }
        let entry = OccupiedPlace.Entry(at: output.location)
        if let obstacle = entry.obstacle {
          occupied.append(OccupiedPlace(path: output.path, obstacle: obstacle, location: place))
        }
        guard case .file(let identity) = entry, let reader = readers[identity] else { continue }
        var overwrite = OverwrittenSource(path: output.path, source: reader.source, location: place)
        if !reader.jobs.contains(job.index), let store {
          if try Self.isMade(output.location, store, made) { continue }
          overwrite.isEdited = try store.registryEntry(at: output.location) != nil
        }
        overwritten.append(overwrite)
      }
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
