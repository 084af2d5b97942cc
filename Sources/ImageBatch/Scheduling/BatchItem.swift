/// An input of a batch: jobs, or a record that can't become a job.
public enum BatchItem: Sendable {
  /// Jobs with the same source, which are scheduled together.
  case group(JobGroup)
  /// A job of the input that isn't made. No output may replace its sources.
  case unselected(Job)
  /// An input record that isn't a valid job. It counts as a failed job.
  case rejected(JobResult)
}

extension JobResult {
  /// Creates the result of an input record that isn't a valid job, with the code `bad-record`.
  /// - Parameters:
  ///   - index: The record's position, from 1.
  ///   - text: The record without credentials.
  ///   - message: What is wrong, in one sentence.
  ///   - location: The record's location; nil if it has none.
  public init(rejected index: Int, text: String, message: String, location: ManifestLocation?) {
    var output = OutputResult(
      index: index, outputIndex: 0, source: text, status: .failed, filter: "", format: "")
    output.error = JobError(code: .badRecord, stage: .manifest, message: message)
    output.location = location
    self.init(index: index, source: text, outputs: [output], location: location)
  }
}
