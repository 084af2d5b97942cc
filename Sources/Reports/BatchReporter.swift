package import ImageBatch

/// An observer of a batch, such as a display, a report or a stream of results.
///
/// Calls to a reporter are serialized, in the order of the events.
package protocol BatchReporter: Sendable {
  /// Handles an event.
  func receive(_ event: BatchEvent)

  /// Whether the reporter handles the start and the end of renderings. Others don't receive them.
  var observesRenderings: Bool { get }

  /// Called a few times per second, for reporters that show elapsed time.
  func tick()

  /// Called once, after the last event.
  /// - Throws: `ReportError` if the reporter can't write its output.
  func finish() throws(ReportError)
}

extension BatchReporter {
  /// Default: false.
  package var observesRenderings: Bool { false }

  /// Does nothing by default.
  package func tick() {}

  /// Does nothing by default.
  package func finish() throws(ReportError) {}
}

/// Writes a reporter's text. Returns false if the reader has closed its end, so that nothing more needs to be
/// written.
package typealias TextOutput = @Sendable (String) -> Bool
