package import ImageBatch

/// Something that listens to a batch: a display, a report, a stream of results.
///
/// Whoever runs the batch calls every reporter from one place, one call after the other, in the order of the events.
package protocol BatchReporter: Sendable {
  /// Takes note of what happened.
  func receive(_ event: BatchEvent)

  /// Called a few times a second, for those that show time passing.
  func tick()

  /// Called once, after the last event. Throws where what was to be written could not be.
  func finish() throws(ReportError)
}

extension BatchReporter {
  /// Nothing.
  package func tick() {}

  /// Nothing.
  package func finish() throws(ReportError) {}
}

/// Where a reporter's text goes. False: the reader is gone, and nothing more need be written.
package typealias TextOutput = @Sendable (String) -> Bool
