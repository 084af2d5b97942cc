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
  /// The section of the output's entry. Called once for each output, before its entry is made.
  func section(_ result: OutputResult) -> ReportSection
  /// The position of a section among the others. Called after the last output.
  func position(ofSection number: Int) -> Int
  /// The text before a section's first entry. Called after the last output.
  /// - Parameters:
  ///   - number: The section's number.
  ///   - heading: The heading that ``section(_:)`` returned.
  ///   - previous: The number of the section before it; nil for the first.
  func opening(ofSection number: Int, heading: [UInt8], after previous: Int?) -> [UInt8]
}

/// A section of a report.
struct ReportSection {
  /// The section's number, from 0.
  var number = 0
  /// The section's heading, stored with its entries; empty if the section is known already or has none.
  var heading: [UInt8] = []
}

extension ReportDocument {
  func entry(_ result: OutputResult) -> [UInt8] { [] }
  func entry(_ job: JobResult) -> [UInt8] { [] }
  func section(_ result: OutputResult) -> ReportSection { ReportSection() }
  func position(ofSection number: Int) -> Int { number }
  func opening(ofSection number: Int, heading: [UInt8], after previous: Int?) -> [UInt8] { [] }
}
