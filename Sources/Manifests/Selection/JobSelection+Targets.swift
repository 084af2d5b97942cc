import ImageBatch
import ImageFilters
import SystemIO

extension JobSelection {
  /// Outputs that no manifest makes.
  package struct UnknownTargets: Error, CustomStringConvertible {
    /// The outputs, as they were given.
    package let targets: [String]
    /// The outputs that the manifests make, relative to the working directory; of rows only the first ones.
    let known: [String]
    /// The templates of outputs whose paths depend on the rendered image.
    let unrendered: [String]
    /// Whether the manifests were read as a whole, not as a selection of their jobs.
    let isWhole: Bool

    /// A line for each, with the nearest output that a manifest makes.
    package var description: String {
      targets.map { target in
        let template = unrendered.first { Self.mayBe($0, target) }
        return "no \(isWhole ? "manifest" : "selected job") makes '\(target)'"
          + (template.map { ": '\($0)' has a field of the rendered image, and can't be a target" }
            ?? NearestName.suggestion(for: target, among: known))
      }
      .joined(separator: "\n")
    }

    /// Whether a template's path may be a target's, by its name's beginning and end.
    private static func mayBe(_ template: String, _ target: String) -> Bool {
      let (pattern, name) = (Paths.fileName(template), Paths.fileName(target))
      return name.utf8.starts(with: pattern.utf8.prefix { $0 != UInt8(ascii: "{") })
        && name.utf8.reversed().starts(with: pattern.utf8.reversed().prefix { $0 != UInt8(ascii: "}") })
    }
  }

  /// The most outputs of rows that are compared with a misspelled target.
  private static let mostSuggestions = 10_000

  /// Leaves only some outputs, with those that they need.
  /// - Parameter targets: Paths, relative to the working directory; empty for all outputs.
  /// - Throws: `UnknownTargets` for targets that no manifest makes.
  package mutating func select(_ targets: [String]) throws(UnknownTargets) {
    guard !targets.isEmpty else { return }
    var (selected, unknown) = JobDependencies(jobs).selecting(targets)
    let directory = Paths.workingDirectory
    let wanted = Set(targets.map { Paths.absoluteComponents($0, from: directory) })
    var known: [String] = jobs.flatMap { job in
      job.outputs.compactMap { job.location(of: $0, from: directory) }
    }
    var made: Set<[Substring]> = []
    for case .success(let job) in rows.joined() {
      for output in job.outputs {
        guard let location = job.location(of: output, from: directory) else { continue }
        let components = Paths.absoluteComponents(location, from: directory)
        if wanted.contains(components) {
          made.insert(components)
        } else if known.count < Self.mostSuggestions {
          known.append(location)
        }
      }
    }
    unknown.removeAll { made.contains(Paths.absoluteComponents($0, from: directory)) }
    // The outputs of streams aren't known before they are read.
    if !unknown.isEmpty, streams.isEmpty {
      let names = known.map { location in
        Paths.relative(Paths.components(location), to: Paths.components(directory)).joined(separator: "/")
      }
      let unrendered = jobs.flatMap { job in
        job.outputs.filter { $0.knownPath(of: job) == nil }.map(\.template.text)
      }
      throw UnknownTargets(targets: unknown, known: names, unrendered: unrendered, isWhole: isWhole)
    }
    select(selected)
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
}
