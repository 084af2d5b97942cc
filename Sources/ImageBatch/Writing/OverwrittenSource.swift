package import ImageCaches
import SystemIO

/// An output that would overwrite a source of the same run.
package struct OverwrittenSource: Sendable, Hashable {
  /// The output's path.
  package var path: String
  /// The source's path, for display.
  package var source: String
  /// The output's location in its manifest.
  package var location: ManifestLocation?
  /// Whether an earlier run wrote the file, which is another job's source, and it has changed since.
  package var isEdited = false

  /// Finds outputs that would overwrite a local source of any job, as far as their paths are known before the
  /// run. Files are compared by device and inode, following links.
  ///
  /// A file that an earlier run has made may be the source of another job: that job depends on it, and it may be written
  /// again.
  /// - Parameters:
  ///   - jobs: All jobs of the run.
  ///   - directory: The output directory of jobs without their own.
  ///   - store: The store that records earlier runs' outputs; nil treats none as an earlier output.
  /// - Throws: `CacheError` if the index can't be read.
  package static func find(
    in jobs: [Job], outputDirectory directory: String = ".", store: DiskStore?
  ) throws(CacheError) -> [OverwrittenSource] {
    var readers: [FileIdentity: (source: String, jobs: Set<Int>)] = [:]
    var objects: Set<[UInt8]> = []
    for job in jobs {
      for path in job.localFiles {
        guard let identity = FileIdentity(path: path) else { continue }
        readers[identity, default: (path, [])].jobs.insert(job.index)
      }
      for object in job.objects { objects.insert(Array(object.description.utf8)) }
    }
    guard !readers.isEmpty || !objects.isEmpty else { return [] }
    var found: [OverwrittenSource] = []
    for job in jobs {
      for output in job.outputLocations(in: directory) {
        if let object = OutputDirectory.object(at: output.location) {
          guard objects.contains(Array(object.description.utf8)) else { continue }
          found.append(
            OverwrittenSource(
              path: output.path, source: object.description, location: output.output.location ?? job.location)
          )
          continue
        }
        guard let identity = FileIdentity(path: output.location), let reader = readers[identity] else {
          continue
        }
        var overwrite = OverwrittenSource(
          path: output.path, source: reader.source, location: output.output.location ?? job.location)
        if !reader.jobs.contains(job.index), let store {
          if try isMade(output.location, store) { continue }
          overwrite.isEdited = try store.registryEntry(at: output.location) != nil
        }
        found.append(overwrite)
      }
    }
    return found
  }

  /// Finds outputs that would overwrite what their own job reads. This needs no record of earlier runs, and no file: the
  /// paths may also be equal as texts.
  /// - Parameters:
  ///   - job: The job.
  ///   - directory: The output directory of a job without its own.
  package static func own(of job: Job, outputDirectory directory: String = ".") -> [OverwrittenSource] {
    let files = job.localFiles
    guard !files.isEmpty else { return [] }
    let working = Paths.workingDirectory
    return job.outputLocations(in: directory).compactMap { output in
      let identity = FileIdentity(path: output.location)
      let components = Paths.absoluteComponents(output.location, from: working)
      let source = files.first { file in
        Paths.absoluteComponents(file, from: working) == components
          || identity != nil && FileIdentity(path: file) == identity
      }
      return source.map {
        OverwrittenSource(path: output.path, source: $0, location: output.output.location ?? job.location)
      }
    }
  }

  /// The error of the job.
  package var error: JobError { .overwritesSource(path) }

  /// Whether a run has made the file, also one that was killed before it could record that, or that is still running.
  private static func isMade(_ path: String, _ store: DiskStore) throws(CacheError) -> Bool {
    let fingerprints = FileDigestCache(store: store)
    if let entry = try store.registryEntry(at: path), fingerprints.isUnchanged(entry, at: path) {
      return true
    }
    guard let file = FileDigestCache.File(path: path), let digest = fingerprints.digests(of: [file])[file]
    else {
      return false
    }
    // An output's bytes are recorded before it is put in place.
    return try store.isOutput(digest)
  }
}

extension Job {
  /// The outputs whose paths are known before the run, without those that name no file, which are reported elsewhere.
  /// - Parameter directory: The output directory of a job without its own.
  func outputLocations(in directory: String) -> [(output: JobOutput, path: String, location: String)] {
    let root = OutputDirectory(root: outputDirectory ?? directory, allowsOutside: true)
    return outputs.compactMap { output in
      guard let path = output.knownPath(of: self) else { return nil }
      do throws(JobError) {
        return (output, path, try root.location(of: path, isObject: output.template.isObject))
      } catch {
        return nil
      }
    }
  }
}
