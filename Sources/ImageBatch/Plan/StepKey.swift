import ImageCaches

/// The identity of a step in a plan. Steps with equal keys are one step, which runs once.
package indirect enum StepKey: Hashable, Sendable {
  /// A source, by its display text: a URL without credentials, or a path.
  case source(String)
  /// A decoding of a source. ``RenderTree`` groups recipes by the options.
  case decode(content: String, options: String)
  /// The filters applied to a decoding, by the chain's identifier.
  case filter(decoding: StepKey, chain: String)
  /// An encoding of a filtered image, by the encoding's identifier.
  case encode(StepKey, encoding: String)
  /// The file of a job's output.
  case write(job: Int, path: String)
}
