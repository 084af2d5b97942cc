package import ImageBatch

extension JobDependencies {
  /// The mistake of jobs of one manifest that need each other; nil if there are none.
  package static func circle(in jobs: [Job], outputDirectory: String) -> ManifestDiagnostic? {
    let placed = jobs.map { job in
      var placed = job
      placed.outputDirectory = outputDirectory
      return placed
    }
    do throws(Circle) {
      _ = try JobDependencies(placed).ordered()
      return nil
    } catch {
      return error.diagnostic
    }
  }
}

extension JobDependencies.Circle {
  /// The mistake, at the first job of the circle.
  package var diagnostic: ManifestDiagnostic {
    func place(_ job: Job) -> String { job.location.map { "line \($0.line)" } ?? "job \(job.index)" }
    let first = jobs.first?.location ?? ManifestLocation(file: "-", line: 1, column: 1)
    let others = jobs.dropFirst().map { "that of \(place($0))" } + ["this one"]
    return ManifestDiagnostic(
      file: first.file, line: first.line, column: first.column,
      message: "these jobs need each other: this job needs an output of "
        + others.joined(separator: ", which needs one of "))
  }
}
