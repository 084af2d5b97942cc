@testable import ImageRendering

extension Placeholders {
  /// A text ends at a NUL in the index. No placeholder of an image has one.
  var withoutNUL: Placeholders {
    func clean(_ text: String) -> String { text.replacing("\0", with: "") }
    return Placeholders(
      dominantColor: clean(dominantColor), blurHash: clean(blurHash), thumbHash: clean(thumbHash),
      dataURI: clean(dataURI))
  }
}
