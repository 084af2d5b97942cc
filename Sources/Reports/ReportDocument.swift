import ImageBatch

/// What a report's file holds: a head, an entry for each output, a tail. Entries are made while the batch runs, the
/// rest when its totals are known.
protocol ReportDocument: Sendable {
  /// One output. All but the last of them keep the ``separator`` that ends it.
  func entry(_ result: OutputResult) -> [UInt8]
  /// What ends an entry where another one follows.
  var separator: String { get }
  func head(_ summary: BatchSummary) -> [UInt8]
  func tail(_ summary: BatchSummary) -> [UInt8]
}
