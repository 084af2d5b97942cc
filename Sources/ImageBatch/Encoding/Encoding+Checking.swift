public import ImageFilters

extension Encoding {
  /// Throws where the encoding can't hold what the chain makes, whatever the source.
  public func check(_ chain: FilterChain) throws(EncodingError) {
    guard chain.transitionCount > 0 else { return }
    guard chain.transitionCount == 1 else {
      throw EncodingError(
        setting: "filter", "an output can have one transition, and this one has \(chain.transitionCount)")
    }
    guard choices.contains(where: { EncoderTable.definition(of: $0.format)?.holdsTiming == true }) else {
      let formats = EncoderTable.all.filter(\.holdsTiming).map(\.format.rawValue).joined(separator: " or ")
      throw EncodingError(
        setting: "format",
        "a transition is an animation, which \(formatText) can't hold: write \(formats)")
    }
  }
}
