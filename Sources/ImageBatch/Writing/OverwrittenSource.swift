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
    for job in jobs {
      for path in job.localFiles {
        guard let identity = FileIdentity(path: path) else { continue }
        readers[identity, default: (path, [])].jobs.insert(job.index)
      }
    }
    guard !readers.isEmpty else { return [] }
    var found: [OverwrittenSource] = []
    for job in jobs {
      let root = OutputDirectory(root: job.outputDirectory ?? directory, allowsOutside: true)
      for output in job.outputs {
        guard let path = output.template.expanded(.init(job, output), variables: output.variables),
          let location = Self.location(of: path, in: root),
          let identity = FileIdentity(path: location), let reader = readers[identity]
        else { continue }
        if !reader.jobs.contains(job.index), let store, try isMade(location, store) { continue }
        found.append(
          OverwrittenSource(path: path, source: reader.source, location: output.location ?? job.location))
      }
    }
    return found
  }

  /// The error of the job.
  package var error: JobError { .overwritesSource(path) }

  /// The output's location; nil for a path that names no file, which is reported elsewhere.
  private static func location(of path: String, in root: OutputDirectory) -> String? {
    do throws(JobError) { return try root.location(of: path) } catch { return nil }
  }

  private static func isMade(_ path: String, _ store: DiskStore) throws(CacheError) -> Bool {
    guard let entry = try store.registryEntry(at: path) else { return false }
    return FileDigestCache(store: store).isUnchanged(entry, at: path)
  }
}
