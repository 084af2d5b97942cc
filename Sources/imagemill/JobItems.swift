import ImageBatch
import Manifests

/// What a batch is fed with: the groups of documents that were read whole, then streams of records as they come.
struct JobItems: AsyncSequence, Sendable {
  typealias Element = BatchItem
  typealias Failure = Never

  var groups: [JobGroup] = []
  var streams: [LineJobs]
  /// The index of the first record's job.
  var firstIndex = 1
  /// What an ordered stream's records wait for.
  var order: OrderWindow?
  /// Completes a record's job; false where it isn't wanted.
  var prepare: @Sendable (inout Job) -> Bool = { _ in true }

  struct AsyncIterator: AsyncIteratorProtocol {
    private let items: JobItems
    private var nextGroup = 0
    private var nextStream = 0
    private var records: LineJobs.Iterator?
    private var index: Int

    fileprivate init(_ items: JobItems) {
      self.items = items
      index = items.firstIndex
    }

    mutating func next() async -> BatchItem? {
      if nextGroup < items.groups.count {
        defer { nextGroup += 1 }
        return .group(items.groups[nextGroup])
      }
      while true {
        guard let record = await records?.next() else {
          guard nextStream < items.streams.count else { return nil }
          records = items.streams[nextStream].makeAsyncIterator()
          nextStream += 1
          continue
        }
        await items.order?.admit(index)
        defer { index += 1 }
        switch record {
        case .success(var job):
          job.index = index
          if items.prepare(&job) { return .group(JobGroup(job)) }
        case .failure(let diagnostic): return .rejected(JobResult(index, diagnostic))
        }
      }
    }
  }

  func makeAsyncIterator() -> AsyncIterator { AsyncIterator(self) }
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
