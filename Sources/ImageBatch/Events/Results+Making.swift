extension Job {
  /// The source as it may be shown.
  var displaySource: String { sources.first?.displayText ?? "" }
}

extension OutputResult {
  /// A result of which nothing is known but what was wanted.
  init(of planned: PlannedOutput) {
    self.init(
      job: planned.job, position: planned.position, output: planned.output)
    output = planned.path
    path = planned.location
    if let known = planned.known { describe(RenderedFile(known)) }
  }

  /// Says that it isn't in place.
  mutating func fail(_ error: JobError) {
    status = .failed
    self.error = error
  }

  init(job: Job, position: Int, output: Output) {
    self.init(
      index: job.index, outputIndex: position, source: job.displaySource, status: .failed,
      filter: output.chain.identifier, format: output.encoding.formatText)
    fields = job.fields
    markup = output.markup
    location = output.location ?? job.location
  }

  /// What the output holds.
  mutating func describe(_ image: RenderedFile) {
    format = image.format.rawValue
    width = image.width
    height = image.height
    frames = image.frames
    bytes = image.bytes
    quality = image.quality
    sha256 = image.digest.hex
    placeholders = image.placeholders
  }
}

extension JobResult {
  /// A job of which nothing could be made.
  init(failing job: Job, _ error: JobError, seconds: Double) {
    let outputs = job.outputs.enumerated().map { position, output in
      var result = OutputResult(job: job, position: position, output: output)
      result.output = output.template.expanded(.init(job, output), variables: output.variables)
      result.error = error
      result.seconds = seconds
      return result
    }
    self.init(index: job.index, source: job.displaySource, outputs: outputs, location: job.location)
  }
}
