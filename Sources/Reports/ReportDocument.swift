import ImageBatch

/// What a report's file holds: a head, an entry for each output (or for each job), a tail. Entries are made while the batch runs, the
/// rest when its totals are known.
protocol ReportDocument: Sendable {
  /// One output; empty where the document says nothing of it. The last entry loses the ``separator`` that ends it.
  func entry(_ result: OutputResult) -> [UInt8]
  /// One job, with all its outputs; empty where the document says nothing of it.
  func entry(_ job: JobResult) -> [UInt8]
  /// What ends an entry where another one follows.
  var separator: String { get }
  func head(_ summary: BatchSummary) -> [UInt8]
  func tail(_ summary: BatchSummary) -> [UInt8]
}

extension ReportDocument {
  func entry(_ result: OutputResult) -> [UInt8] { [] }
  func entry(_ job: JobResult) -> [UInt8] { [] }
}
