import ImageDownloads
import ImageRendering

extension Job {
  /// The first source's text without credentials.
  var displaySource: String { sources.first?.displayText ?? "" }
}

extension OutputResult {
  /// Creates a result from a plan, including what an earlier run recorded.
  init(of planned: PlannedOutput) {
    self.init(
      job: planned.job, position: planned.position, output: planned.output)
    // An output whose overlay failed has no key, but most have a path.
    output = planned.path ?? planned.output.knownPath(of: planned.job)
    path = planned.location
    if let known = planned.known { describe(RenderedFile(known)) }
  }

  /// Sets the status to `failed`.
  mutating func fail(_ error: JobError) {
    status = .failed
    self.error = error
  }

  init(job: Job, position: Int, output: JobOutput) {
    self.init(
      index: job.index, outputIndex: position, source: job.displaySource, status: .failed,
      filter: output.chain.displayIdentifier, format: output.encoding.formatText)
    // A chain whose URLs have credentials is shown only without them.
    if output.chain.displayIdentifier == output.chain.identifier { chainText = output.chainText }
    if case .file(let path) = job.sources.first { sourcePath = path }
    fields = job.fields
    markup = output.markup
    location = output.location ?? job.location
  }

  /// Copies the facts of a rendered file.
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
  /// Creates a result in which every output fails with `error`.
  init(failing job: Job, _ error: JobError, seconds: Double) {
    let outputs = job.outputs.enumerated().map { position, output in
      var result = OutputResult(job: job, position: position, output: output)
      result.output = output.knownPath(of: job)
      result.error = error
      result.seconds = seconds
      return result
    }
    self.init(index: job.index, source: job.displaySource, outputs: outputs, location: job.location)
  }
}
