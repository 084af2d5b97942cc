/// What a batch is fed with.
public enum BatchItem: Sendable {
  /// Jobs of one source.
  case group(JobGroup)
  /// A record of the input that is no job: it counts as a failed one.
  case rejected(JobResult)
}

extension JobResult {
  /// A record of the input that is no job. `text` is the record as it may be shown.
  public init(rejected index: Int, text: String, message: String, location: ManifestLocation?) {
    var output = OutputResult(
      index: index, outputIndex: 0, source: text, status: .failed, filter: "", format: "")
    output.error = JobError(code: .badRecord, stage: .manifest, message: message)
    output.location = location
    self.init(index: index, source: text, outputs: [output], location: location)
  }
}
