package import ImageBatch

extension JobDependencies {
  /// The mistakes of jobs that wait for each other.
  /// - Parameter jobs: The jobs of all manifests, with their output directories.
  package static func circles(in jobs: [Job]) -> [ManifestDiagnostic] {
    do throws(Circles) {
      _ = try JobDependencies(jobs).ordered()
      return []
    } catch {
      return error.circles.map(\.diagnostic)
    }
  }
}

extension [Job] {
  /// The jobs with their output directory.
  /// - Parameter count: The number of jobs in the manifests before theirs. Default: 0.
  package func placed(in directory: String, after count: Int = 0) -> [Job] {
    map { job in
      var job = job
      job.index += count
      job.outputDirectory = directory
      return job
    }
  }
}

extension JobDependencies.Circle {
  /// The mistake, at the first job of the circle.
  package var diagnostic: ManifestDiagnostic {
    let first = jobs.first?.location ?? ManifestLocation(file: "-", line: 1, column: 1)
    func place(_ job: Job) -> String {
      guard let place = job.location else { return "job \(job.index)" }
      return place.file == first.file ? "line \(place.line)" : "\(place.file):\(place.line)"
    }
    let next = jobs.dropFirst() + jobs.prefix(1)
    let waits = zip(zip(jobs, next), needsOutput).map { pair, needs in
      "\(place(pair.0)) \(needs ? "needs" : "replaces a source of") \(place(pair.1))"
    }
    let (problem, remedy) =
      needsOutput.contains(false)
      ? ("these jobs wait for each other", "; write an output to another path")
      : ("these jobs need each other's outputs", "")
    var diagnostic = ManifestDiagnostic(
      file: first.file, line: first.line, column: first.column,
      message: "\(problem): \(waits.joined(separator: ", "))\(remedy)")
    diagnostic.isFoundLate = true
    return diagnostic
  }
}
