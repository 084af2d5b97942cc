import ImageBatch

extension OutputResult {
  /// The source of the failure if it isn't the output's own: an overlay, a mask, or a later alternative.
  var failedOtherSource: String? { error?.source.flatMap { $0 == source ? nil : $0 } }

  /// What went wrong, with the source's name if it isn't the output's own: `logo.png: the file is empty`.
  var failureMessage: String? {
    guard let error else { return nil }
    return failedOtherSource.map { "\($0): \(error.message)" } ?? error.message
  }
}
