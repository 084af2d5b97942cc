package import ImageBatch
import SystemIO

/// The jobs of a member of a manifest's `jobs` with `from`, one for each row.
///
///     for result in manifest.rows[0] {
///       switch result {
///       case .success(let job): …
///       case .failure(let diagnostic): …       // a row that has changed since the manifest was read
///       }
///     }
///
/// Rows are read during the iteration, and again by each iterator.
package struct RowJobs: Sequence, Sendable {
  /// A job, or an error in its row.
  package typealias Element = Result<Job, ManifestDiagnostic>

  private(set) var table: RowTable
  let template: RowTemplate
  /// The index of the first row's job.
  package var firstIndex = 1
  /// The number of jobs when the manifest was read.
  package internal(set) var count = 0
  /// The directory of relative outputs.
  package var outputDirectory: String?

  /// The file that the rows come from; nil for a pattern.
  package var tablePath: String? {
    if case .records = table.kind { table.name } else { nil }
  }

  /// The files that the pattern matches and that are outputs of others that it matches.
  package private(set) var leftOut: [String] = []
  private var own = OwnOutputs()

  /// Whether the rows are files that match a pattern.
  var isPattern: Bool { tablePath == nil }

  /// Leaves out files that are outputs.
  mutating func leaveOut(_ own: OwnOutputs) {
    self.own = own
    // Files that several members match are written by several jobs.
    var seen: Set<[UInt8]> = []
    let expected = Set(table.expected.map { Array(table.path(of: $0).utf8) })
    leftOut = own.leftOut.filter { file in
      let bytes = Array(file.utf8)
      return seen.insert(bytes).inserted && !expected.contains(bytes)
    }
  }

  /// Adds files that don't exist yet and that other jobs will make.
  /// - Returns: Whether there are new ones among them.
  mutating func expect(_ files: [String]) -> Bool {
    var known = Set(table.expected.map { Array($0.utf8) })
    let new = files.filter { known.insert(Array($0.utf8)).inserted }
    table.expected = (table.expected + new).sorted(by: Paths.isBefore)
    return !new.isEmpty
  }

  /// Removes all expected files.
  mutating func expectNothing() { table.expected = [] }

  /// Removes the expected files that are left out.
  mutating func dropExpectedOutputs() {
    table.expected = table.expected.filter { !own.contains(table.path(of: $0)) }
  }

  /// Whether `markup` sets a placeholder in the defaults, the job or an output.
  package var showsPlaceholders: Bool {
    let places = [template.context.defaults, template.node] + (template.node["outputs"]?.list ?? [])
    return places.contains { place in
      let placeholder = place?["markup"]?["placeholder"]?.scalar
      return placeholder != nil && placeholder != Markup.Placeholder.none.rawValue
    }
  }

  init(table: RowTable, template: RowTemplate) {
    self.table = table
    self.template = template
  }

  /// Makes an iterator at the first row.
  package func makeIterator() -> Iterator { Iterator(self) }

  /// Iterates over the rows' jobs.
  package struct Iterator: IteratorProtocol {
    private let jobs: RowJobs
    private var reader: RowReader?
    private var failures: ArraySlice<ManifestDiagnostic> = []
    private var index: Int
    /// The file of the last job, if the rows are those of a pattern.
    private(set) var file: String?

    fileprivate init(_ jobs: RowJobs) {
      self.jobs = jobs
      index = jobs.firstIndex
      do throws(RowFailure) {
        let reader = try RowReader(jobs.table)
        guard reader.columns == nil || reader.columns == jobs.table.columns else {
          failures = [
            ManifestDiagnostic(
              file: jobs.table.name, line: 1, column: 1,
              message: "the columns have changed since the manifest was read: start again")
          ]
          return
        }
        self.reader = reader
      } catch {
        failures = jobs.template.diagnostics(error)[...]
      }
    }

    /// The next row's job; nil at the end.
    package mutating func next() -> Element? {
      if let failure = failures.popFirst() { return .failure(failure) }
      while let found = reader?.next() {
        switch found {
        case .failure(let diagnostic):
          index += 1
          return .failure(jobs.template.placed(diagnostic))
        case .success(let row):
          guard jobs.template.wants(row) else { continue }
          if jobs.isPattern {
            file = row[RowTable.sourceColumn]?.text.map { jobs.table.path(of: $0) }
            if let file, jobs.own.contains(file) { continue }
          }
          defer { index += 1 }
          return jobs.template.job(row, index: index).map { job in
            var job = job
            job.outputDirectory = jobs.outputDirectory
            return job
          }
        }
      }
      return nil
    }
  }
}
