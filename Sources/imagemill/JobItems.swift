import ImageBatch
import Manifests
import Reports
import Synchronization

/// The input of a batch: the groups of the documents' jobs, the jobs of their rows, then streams of records as they
/// arrive.
struct JobItems: AsyncSequence, Sendable {
  typealias Element = BatchItem
  typealias Failure = Never

  /// The number of rows read ahead. Rows of the same source within it are downloaded and decoded together.
  static let rowWindow = 256

  var groups: [JobGroup] = []
  var rows: [RowJobs] = []
  var streams: [LineJobs]
  /// The command line's sources, which come before the streams' records.
  var operands: OperandJobs?
  /// The index of the first record's job.
  var firstIndex = 1
  /// Admits the records of an ordered stream.
  var order: OrderWindow?
  /// Completes a row's or a record's job; false if the job isn't selected.
  var prepare: @Sendable (inout Job) -> Bool = { _ in true }
  /// Raised if an input has a wrong header, so that none of its records is a job.
  let refusal = InputRefusal()
  /// Called with the number of jobs read, each time some are.
  var onRead: @Sendable (Int) -> Void = { _ in }

  struct AsyncIterator: AsyncIteratorProtocol {
    private let items: JobItems
    private var nextGroup = 0
    private var nextRows = 0
    private var row: RowJobs.Iterator?
    /// The items made of the window's rows.
    private var window: ArraySlice<BatchItem> = []
    private var nextStream = 0
    private var records: LineJobs.Iterator?
    private var operands: OperandJobs.Iterator?
    private var index: Int

    fileprivate init(_ items: JobItems) {
      self.items = items
      index = items.firstIndex
      operands = items.operands?.makeIterator()
    }

    private mutating func nextRecord() async -> LineJobs.Element? {
      if let next = operands?.next() { return next }
      return await records?.next()
    }

    mutating func next() async -> BatchItem? {
      if nextGroup < items.groups.count {
        defer { nextGroup += 1 }
        items.onRead(items.groups[nextGroup].jobs.count)
        return .group(items.groups[nextGroup])
      }
      while true {
        if let item = window.popFirst() { return item }
        guard row != nil || nextRows < items.rows.count else { break }
        fillWindow()
      }
      while true {
        guard let record = await nextRecord() else {
          guard nextStream < items.streams.count else { return nil }
          records = items.streams[nextStream].makeAsyncIterator()
          nextStream += 1
          continue
        }
        await items.order?.admit(index)
        defer { index += 1 }
        items.onRead(1)
        switch record {
        case .success(var job):
          job.index = index
          if items.prepare(&job) { return .group(JobGroup(job)) }
        case .failure(let diagnostic):
          if diagnostic.concernsInput { items.refusal.raise() }
          return .rejected(JobResult(index, diagnostic))
        }
      }
    }

    private mutating func fillWindow() {
      if row == nil {
        row = items.rows[nextRows].makeIterator()
        nextRows += 1
      }
      var jobs: [Job] = []
      var rejected: [BatchItem] = []
      for _ in 0..<JobItems.rowWindow {
        guard let result = row?.next() else {
          row = nil
          break
        }
        switch result {
        case .success(var job): if items.prepare(&job) { jobs.append(job) }
        case .failure(let diagnostic):
          // Every row was valid when it was checked, so this one has changed since. It isn't among the
          // counted jobs.
          rejected.append(.rejected(JobResult(items.firstIndex + rejected.count, diagnostic)))
        }
      }
      items.onRead(jobs.count + rejected.count)
      window = (rejected + JobGroup.grouping(jobs).map(BatchItem.group))[...]
    }
  }

  func makeAsyncIterator() -> AsyncIterator { AsyncIterator(self) }
}

/// Records that an input couldn't be read at all, which is a usage error rather than a failed job.
final class InputRefusal: Sendable {
  private let state = Mutex(false)

  func raise() { state.withLock { $0 = true } }

  /// The status of the command: ``ExitStatus/usage`` instead of a failure if an input was refused, else
  /// `status`.
  func status(_ status: ExitStatus) -> ExitStatus {
    let isFailure = status == .failed || status == .temporary
    return state.withLock(\.self) && isFailure ? .usage : status
  }
}

extension JobItems {
  /// Reads to the end, for commands that need all groups before they begin. Wrong records are reported as `run` reports
  /// them: otherwise a check of an unreadable list would find nothing wrong.
  /// - Returns: The groups, and the input's status: a wrong record is a failed job, a wrong header a usage error.
  func readAll() async -> (groups: [JobGroup], status: ExitStatus) {
    var groups: [JobGroup] = []
    var status = ExitStatus.success
    for await item in self {
      switch item {
      case .group(let group): groups.append(group)
      case .rejected(let job):
        status = .failed
        Self.report(job)
      }
    }
    return (groups, refusal.status(status))
  }

  /// Reports a wrong record.
  static func report(_ job: JobResult) {
    for line in FailureMessage.lines(job) { StandardError.say(line) }
    for output in job.outputs { Annotations.add(output.error?.message ?? "", at: output.location) }
  }
}

extension JobResult {
  /// The result of a record that isn't a job.
  fileprivate init(_ index: Int, _ diagnostic: ManifestDiagnostic) {
    self.init(
      rejected: index, text: "line \(diagnostic.line)", message: diagnostic.message,
      location: ManifestLocation(
        file: diagnostic.file, line: diagnostic.line, column: diagnostic.column))
  }
}
