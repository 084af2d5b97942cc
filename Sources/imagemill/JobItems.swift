import ImageBatch
import Manifests
import Reports
import Synchronization

/// What a batch is fed with: the groups of documents that were read whole, the jobs of their rows, then streams of
/// records as they come.
struct JobItems: AsyncSequence, Sendable {
  typealias Element = BatchItem
  typealias Failure = Never

  /// So many rows are read ahead, so that those of one source are downloaded and decoded together.
  static let rowWindow = 256

  var groups: [JobGroup] = []
  var rows: [RowJobs] = []
  var streams: [LineJobs]
  /// Sources of the command line, which come before the streams' records.
  var operands: OperandJobs?
  /// The index of the first record's job.
  var firstIndex = 1
  /// What an ordered stream's records wait for.
  var order: OrderWindow?
  /// Completes a record's job; false where it isn't wanted.
  var prepare: @Sendable (inout Job) -> Bool = { _ in true }
  /// Raised where an input has a wrong header, so that none of its records is a job.
  let refusal = InputRefusal()
  /// Told how many jobs have been read, each time that some are.
  var onRead: @Sendable (Int) -> Void = { _ in }

  struct AsyncIterator: AsyncIteratorProtocol {
    private let items: JobItems
    private var nextGroup = 0
    private var nextRows = 0
    private var row: RowJobs.Iterator?
    /// What the window's rows have become.
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
          // Rows are read before anything starts: this one has changed since, and has no place among the jobs.
          rejected.append(.rejected(JobResult(items.firstIndex + rejected.count, diagnostic)))
        }
      }
      items.onRead(jobs.count + rejected.count)
      window = (rejected + JobGroup.grouping(jobs).map(BatchItem.group))[...]
    }
  }

  func makeAsyncIterator() -> AsyncIterator { AsyncIterator(self) }
}

/// Whether an input could not be read at all: the command line or the file is wrong, and no job has failed.
final class InputRefusal: Sendable {
  private let state = Mutex(false)

  func raise() { state.withLock { $0 = true } }

  /// The status that the refusal makes of another one.
  func status(_ status: ExitStatus) -> ExitStatus {
    let isFailure = status == .failed || status == .temporary
    return state.withLock(\.self) && isFailure ? .usage : status
  }
}

extension JobResult {
  /// A record that is no job.
  fileprivate init(_ index: Int, _ diagnostic: ManifestDiagnostic) {
    self.init(
      rejected: index, text: "line \(diagnostic.line)", message: diagnostic.message,
      location: ManifestLocation(
        file: diagnostic.file, line: diagnostic.line, column: diagnostic.column))
  }
}
