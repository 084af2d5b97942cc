import ImageBatch

/// The content of a report file: a head, an entry per output or per job, and a tail.
///
/// Entries are made while the batch runs, head and tail when its totals are known.
protocol ReportDocument: Sendable {
  /// The entry for an output, ending in ``separator``; empty if the document has none. The last entry is written
  /// without its separator.
  func entry(_ result: OutputResult) -> [UInt8]
  /// The entry for a job with all its outputs, ending in ``separator``; empty if the document has none.
  func entry(_ job: JobResult) -> [UInt8]
  /// The text that separates entries.
  var separator: String { get }
  func head(_ summary: BatchSummary) -> [UInt8]
  func tail(_ summary: BatchSummary) -> [UInt8]
}

extension ReportDocument {
  func entry(_ result: OutputResult) -> [UInt8] { [] }
  func entry(_ job: JobResult) -> [UInt8] { [] }
}
