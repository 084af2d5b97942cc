import Testing

@testable import ImageRendering

extension RenderError {
  /// The code as reports have it.
  var codeText: String { code.rawValue }

  /// A failure with a code as reports have it.
  init(_ codeText: String, _ stage: Stage = .decode, _ message: String = "no") {
    guard let code = Code(rawValue: codeText) else {
      Issue.record("no failure has the code '\(codeText)'")
      self = .cancelled
      return
    }
    self.init(code: code, stage: stage, message: message)
  }
}
