import ImageBatch
import ImageFilters
import ImageRendering
import Manifests
import SystemIO

extension JobOptions.Input {
  /// Puts jobs behind those that make their sources.
  /// - Throws: `ManifestCommandError` if jobs need each other.
  mutating func order() throws {
    do throws(JobDependencies.Circle) {
      jobs = try JobDependencies(jobs).ordered()
    } catch {
      throw ManifestCommandError(ManifestErrors([error.diagnostic]))
    }
  }

  /// Leaves only some outputs, with those that they need.
  /// - Parameter targets: Paths, relative to the working directory; empty for all outputs.
  /// - Throws: `CommandError` for a target that no manifest makes.
  mutating func select(_ targets: [String]) throws {
    guard !targets.isEmpty else { return }
    var (selected, unknown) = JobDependencies(jobs).selecting(targets)
    let directory = Paths.workingDirectory
    let wanted = Set(targets.map { Paths.absoluteComponents($0, from: directory) })
    var known: [String] = jobs.flatMap { job in
      job.outputs.compactMap { job.location(of: $0, from: directory) }
    }
    var made: Set<[Substring]> = []
    func isWanted(_ location: String?) -> Bool {
      guard let location else { return false }
      let components = Paths.absoluteComponents(location, from: directory)
      guard wanted.contains(components) else { return false }
      made.insert(components)
      return true
    }
    for case .success(let job) in rows.joined() {
      for output in job.outputs {
        guard let location = job.location(of: output, from: directory) else { continue }
        if !isWanted(location), known.count < Self.mostSuggestions { known.append(location) }
      }
    }
    unknown.removeAll { made.contains(Paths.absoluteComponents($0, from: directory)) }
    // The outputs of streams aren't known before they are read.
    if !unknown.isEmpty, streams.isEmpty {
      let names = known.map { location in
        Paths.relative(Paths.components(location), to: Paths.components(directory)).joined(separator: "/")
      }
      let lines = unknown.map { target in
        "no manifest makes '\(target)'" + NearestName.suggestion(for: target, among: names)
      }
      throw CommandError(.usage, lines.joined(separator: "\n"))
    }
    jobs = selected
    isWhole = false
    prepare = { [prepare] job in
      guard prepare(&job) else { return false }
      job.outputs = job.outputs.filter { output in
        guard let location = job.location(of: output, from: directory) else { return false }
        return wanted.contains(Paths.absoluteComponents(location, from: directory))
      }
      return !job.outputs.isEmpty
    }
  }

  /// The most outputs of rows that are compared with a misspelled target.
  private static let mostSuggestions = 10_000
}

extension JobDependencies {
  /// The mistake of jobs of one manifest that need each other; nil if there are none.
  static func circle(in jobs: [Job], outputDirectory: String) -> ManifestDiagnostic? {
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
  var diagnostic: ManifestDiagnostic {
    func place(_ job: Job) -> String { job.location.map { "line \($0.line)" } ?? "job \(job.index)" }
    let first = jobs.first?.location ?? ManifestLocation(file: "-", line: 1, column: 1)
    let others = jobs.dropFirst().map { "that of \(place($0))" } + ["this one"]
    return ManifestDiagnostic(
      file: first.file, line: first.line, column: first.column,
      message: "these jobs need each other: this job needs an output of "
        + others.joined(separator: ", which needs one of "))
  }
}

/// The operands of `run`: manifests, and outputs to make.
struct RunOperands {
  var manifests: [String] = []
  /// Operands with the extension of an image.
  var targets: [String] = []

  init(_ operands: [String]) {
    let extensions = Set(EncoderTable.all.flatMap(\.pathExtensions))
    for operand in operands {
      let name = DirectoryEntry(operand).name
      let suffix = name.lastIndex(of: ".").map { name[name.index(after: $0)...].lowercased() }
      if let suffix, extensions.contains(suffix) {
        targets.append(operand)
      } else {
        manifests.append(operand)
      }
    }
  }
}
