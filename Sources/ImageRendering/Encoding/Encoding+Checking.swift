public import ImageFilters

extension Encoding {
  /// Checks that the encoding can hold the chain's result, whatever the source is.
  /// - Parameter chain: The chain whose result is encoded.
  /// - Throws: `EncodingSettingsError` if the chain has several transitions or no candidate format is
  ///   animated.
  public func check(_ chain: FilterChain) throws(EncodingSettingsError) {
    guard chain.transitionCount > 0 else { return }
    guard chain.transitionCount == 1 else {
      throw EncodingSettingsError(
        setting: "filter", "an output can have one transition, and this one has \(chain.transitionCount)")
    }
    guard choices.contains(where: { EncoderTable.definition(of: $0.format)?.holdsTiming == true }) else {
      let formats = EncoderTable.all.filter(\.holdsTiming).map(\.format.rawValue).joined(separator: " or ")
      throw EncodingSettingsError(
        setting: "format",
        "a transition is an animation, which \(formatText) can't hold; write \(formats)")
    }
  }
}
