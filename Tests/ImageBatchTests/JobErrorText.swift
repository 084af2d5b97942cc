@testable import ImageBatch

extension JobError {
  /// The code as reports have it.
  var codeText: String { "\(code)" }

  /// A failure with a code as reports have it.
  init(_ codeText: String, _ stage: Stage = .decode, _ message: String = "no") {
    self.init(code: codeText, stage: stage, message: message)
  }
}
