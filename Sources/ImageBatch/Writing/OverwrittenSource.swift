import ImageCaches
import SystemIO

/// An output that would overwrite a source of the same run.
package struct OverwrittenSource: Sendable, Hashable {
  /// The output's path, with its output directory.
  package var path: String
  /// The source's path, for display.
  package var source: String
  /// The output's location in its manifest.
  package var location: ManifestLocation?
  /// Whether an earlier run wrote the file, which is another job's source, and it has changed since.
  package var isEdited = false
  /// Whether the file matches a pattern like its sources, and no run is known to have written it.
  package var isMatched = false
  /// Whether the file is the output that another job reads, and no run is known to have written it.
  package var isForeign = false

  /// Finds outputs that would overwrite what their own job reads. This needs no record of earlier runs, and no file: the
  /// paths may also be equal as texts. Objects are compared by their addresses.
  /// - Parameters:
  ///   - job: The job.
  ///   - others: Other files that the run reads, such as its manifest. Default: none.
  ///   - directory: The output directory of a job without its own.
  package static func own(
    of job: Job, besides others: [String] = [], outputDirectory directory: String = "."
  ) -> [OverwrittenSource] {
    let files = job.localFiles + others
    let objects = Set(job.objects.map { Array($0.description.utf8) })
    guard !files.isEmpty || !objects.isEmpty else { return [] }
    let working = Paths.workingDirectory
    return job.outputLocations(in: directory).compactMap { output in
      if let object = OutputDirectory.object(at: output.location) {
        guard objects.contains(Array(object.description.utf8)) else { return nil }
        return OverwrittenSource(
          path: output.location, source: object.description, location: output.output.location ?? job.location)
      }
      let identity = FileIdentity(path: output.location)
      let components = Paths.absoluteComponents(output.location, from: working)
      let source = files.first { file in
        Paths.absoluteComponents(file, from: working) == components
          || identity != nil && FileIdentity(path: file) == identity
      }
      return source.map {
        OverwrittenSource(path: output.location, source: $0, location: output.output.location ?? job.location)
      }
    }
  }

  /// The error of the job.
  package var error: JobError { .overwritesSource(path) }
}

extension Job {
  /// The outputs whose paths are known before the run, without those that name no file, which are reported elsewhere.
  /// - Parameter directory: The output directory of a job without its own.
  package func outputLocations(in directory: String) -> [(output: JobOutput, path: String, location: String)]
  {
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
