package import ImageBatch
import Synchronization

/// The input of a batch: the groups of the documents' jobs, the jobs of their rows, then streams of records as they
/// arrive.
package struct JobItems: AsyncSequence, Sendable {
  package typealias Element = BatchItem
  package typealias Failure = Never

  /// The number of rows read ahead. Rows of the same source within it are downloaded and decoded together.
  static let rowWindow = 256

  /// The documents' jobs without those of rows.
  package var groups: [JobGroup]
  /// The jobs of the documents' tables.
  package var rows: [RowJobs]
  /// Lists, CSV, TSV and NDJSON, read when the jobs before them have been taken.
  package var streams: [LineJobs]
  /// The command line's sources, which come before the streams' records.
  package var operands: OperandJobs?
  /// The index of the first record's job.
  package var firstIndex: Int
  /// Completes a row's or a record's job; false if the job isn't selected.
  package var prepare: @Sendable (inout Job) -> Bool
  /// Returns when the record with this index may be read: an ordered stream holds back its reader.
  package var admit: (@Sendable (Int) async -> Void)?
  /// Called with the index of a record that isn't selected: an ordered stream would wait for its result.
  package var skip: (@Sendable (Int) -> Void)?
  /// Called with the number of jobs read, each time some are.
  package var onRead: @Sendable (Int) -> Void
  /// Raised if an input has a wrong header, so that none of its records is a job.
  package let refusal = InputRefusal()

  /// Makes the input from its parts; nothing is read before iteration.
  package init(
    groups: [JobGroup] = [], rows: [RowJobs] = [], streams: [LineJobs] = [], operands: OperandJobs? = nil,
    firstIndex: Int = 1, prepare: @escaping @Sendable (inout Job) -> Bool = { _ in true },
    admit: (@Sendable (Int) async -> Void)? = nil, onRead: @escaping @Sendable (Int) -> Void = { _ in }
  ) {
    self.groups = groups
    self.rows = rows
    self.streams = streams
    self.operands = operands
    self.firstIndex = firstIndex
    self.prepare = prepare
    self.admit = admit
    self.onRead = onRead
  }

  package struct AsyncIterator: AsyncIteratorProtocol {
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
    /// The outputs of earlier records, so that of two with one path the second line fails, whichever is faster.
    private var conflicts = RecordConflicts()
    /// The reason why the input is refused; nil if it isn't.
    private var refused: String?
    private var furtherRecords = 0
    /// The most records that are read after the one for which the input is refused.
    private static let mostFurtherRecords = 20
    /// Whether a job has been taken, which a batch starts.
    private var hasJobs = false

    fileprivate init(_ items: JobItems) {
      self.items = items
      index = items.firstIndex
      operands = items.operands?.makeIterator()
    }

    private mutating func nextRecord() async -> LineJobs.Element? {
      if let next = operands?.next() { return next }
      return await records?.next()
    }

    package mutating func next() async -> BatchItem? {
      if nextGroup < items.groups.count {
        defer { nextGroup += 1 }
        hasJobs = true
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
        await items.admit?(index)
        items.onRead(1)
        switch record {
        case .success where refused != nil: index += 1
        case .success(var job):
          job.index = index
          let isSelected = items.prepare(&job)
          index += 1
          // A record that isn't selected has its place too.
          let conflict = conflicts.claim(job)
          guard isSelected else {
            items.skip?(job.index)
            return .unselected(job)
          }
          if var conflict {
            conflict.reads = job.allSources.compactMap(\.localPath)
            return .rejected(JobResult(job.index, conflict))
          }
          hasJobs = true
          return .group(JobGroup(job))
        case .failure(let diagnostic):
          defer { index += 1 }
          if refused != nil || diagnostic.concernsInput && !hasJobs {
            // Nothing is made. The next records are read for their own mistakes.
            furtherRecords += 1
            if furtherRecords > Self.mostFurtherRecords { (operands, records) = (nil, nil) }
            if diagnostic.message == refused, diagnostic.further.isEmpty { continue }
            refused = refused ?? diagnostic.message
          }
          if diagnostic.concernsInput { items.refusal.raise(afterJobs: hasJobs) }
          if diagnostic.isUnreadable { items.refusal.noteUnreadable() }
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
        case .success(var job):
          if items.prepare(&job) { jobs.append(job) } else { rejected.append(.unselected(job)) }
        case .failure(let diagnostic):
          // Every row was valid when it was checked, so this one has changed since. It isn't among the
          // counted jobs.
          rejected.append(.rejected(JobResult(items.firstIndex + rejected.count, diagnostic)))
        }
      }
      items.onRead(jobs.count + rejected.count)
      if !jobs.isEmpty { hasJobs = true }
      window = (rejected + JobGroup.grouping(jobs).map(BatchItem.group))[...]
    }
  }

  package func makeAsyncIterator() -> AsyncIterator { AsyncIterator(self) }
}

/// Records that an input couldn't be read at all, which is a usage error rather than a failed job, and that records
/// couldn't.
package final class InputRefusal: Sendable {
  private struct State {
    var isRaised = false
    var isAfterJobs = false
    var hasUnreadableRecords = false
  }

  private let state = Mutex(State())

  /// Whether an input was refused.
  package var isRaised: Bool { state.withLock(\.isRaised) }
  /// Whether there were jobs before the first input that was refused.
  package var isAfterJobs: Bool { state.withLock(\.isAfterJobs) }
  /// Whether a record was no record, or the input ended in an error.
  package var hasUnreadableRecords: Bool { state.withLock(\.hasUnreadableRecords) }

  /// Makes one that isn't raised.
  package init() {}

  /// Refuses an input.
  /// - Parameter afterJobs: Whether there were jobs before it. Default: false.
  package func raise(afterJobs: Bool = false) {
    state.withLock { state in
      if !state.isRaised { state.isAfterJobs = afterJobs }
      state.isRaised = true
    }
  }

  func noteUnreadable() { state.withLock { $0.hasUnreadableRecords = true } }
}

extension JobItems {
  /// Reads to the end, for commands that need all groups before they begin.
  /// - Parameter reject: Receives each wrong record.
  package func groupsAtEnd(_ reject: (JobResult) -> Void) async -> [JobGroup] {
    var groups: [JobGroup] = []
    for await item in self {
      switch item {
      case .group(let group): groups.append(group)
      case .rejected(let job): reject(job)
      case .unselected: break
      }
    }
    return groups
  }
}

extension JobResult {
  /// The result of a record that isn't a job.
  fileprivate init(_ index: Int, _ diagnostic: ManifestDiagnostic) {
    self.init(
      rejected: index, text: "line \(diagnostic.line)", message: diagnostic.wholeMessage,
      location: ManifestLocation(
        file: diagnostic.file, line: diagnostic.line, column: diagnostic.column))
    reads = diagnostic.each.flatMap(\.reads)
  }
}
