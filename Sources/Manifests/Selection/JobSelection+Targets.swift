import ImageBatch
import ImageFilters
import Synchronization
import SystemIO

/// The targets of a run that only records of a stream can make, which are read during the run.
package final class AwaitedTargets: Sendable {
  private let paths: Mutex<[[Substring]: String]>

  init(_ targets: [String]) {
    paths = Mutex(
      Dictionary(
        targets.map { (Paths.absoluteComponents($0, from: Paths.workingDirectory), $0) },
        uniquingKeysWith: { first, _ in first }))
  }

  /// Notes that a record makes an output.
  func note(_ location: [Substring]) { paths.withLock { $0[location] = nil } }

  /// The targets that no record has made, sorted.
  package var missing: [String] { paths.withLock { $0.values.sorted() } }
}

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
    for job in streams.isEmpty ? [] : listed {
      for output in job.outputs {
        guard let location = job.location(of: output, from: directory) else { continue }
        made.insert(Paths.absoluteComponents(location, from: directory))
        if known.count < Self.mostSuggestions { known.append(location) }
      }
    }
    unknown.removeAll { made.contains(Paths.absoluteComponents($0, from: directory)) }
    // The outputs of streams aren't known before they are read.
    if !unknown.isEmpty, streams.isEmpty || hasReadLists {
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
    let awaited = unknown.isEmpty ? nil : AwaitedTargets(unknown)
    self.awaited = awaited
    listedAndSelected = listedAndSelected.compactMap { job in
      var job = job
      job.outputs = job.outputs.filter { output in
        job.location(of: output, from: directory).map {
          wanted.contains(Paths.absoluteComponents($0, from: directory))
        } ?? false
      }
      return job.outputs.isEmpty ? nil : job
    }
    prepare = { [prepare] job in
      guard prepare(&job) else { return false }
      job.outputs = job.outputs.filter { output in
        guard let location = job.location(of: output, from: directory) else { return false }
        let components = Paths.absoluteComponents(location, from: directory)
        awaited?.note(components)
        return wanted.contains(components)
      }
      return !job.outputs.isEmpty
    }
  }
}
