/// An input of a batch.
public enum BatchItem: Sendable {
  /// Jobs with the same source.
  case group(JobGroup)
  /// An input record that isn't a valid job. It counts as a failed job.
  case rejected(JobResult)
}

extension JobResult {
  /// Creates the result of an input record that isn't a valid job. `text` is the record without credentials.
  public init(rejected index: Int, text: String, message: String, location: ManifestLocation?) {
    var output = OutputResult(
      index: index, outputIndex: 0, source: text, status: .failed, filter: "", format: "")
    output.error = JobError(code: .badRecord, stage: .manifest, message: message)
    output.location = location
    self.init(index: index, source: text, outputs: [output], location: location)
  }
}
