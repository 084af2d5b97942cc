import ImageCaches

/// What identifies a step of a plan. Equal keys are one step, which runs once.
package indirect enum StepKey: Hashable, Sendable {
  /// The source of a name: a URL without credentials, or a path.
  case source(String)
  /// A source's bytes decoded with options; ``RenderTree`` groups recipes by them.
  case decode(content: String, options: String)
  /// A decoding and the filters after it, as the chain's identifier.
  case filter(decoding: StepKey, chain: String)
  /// An image encoded; the text is the encoding's identifier.
  case encode(StepKey, encoding: String)
  /// The file that an output of a job writes.
  case write(job: Int, path: String)
}
