/// Refuses drawings that want something from outside of their own text: files, addresses, entities.
enum SVGReferences {
  /// What is read of a drawing; longer ones are refused, since what isn't read can't be trusted.
  static let longest = 32 << 20

  /// - Throws: `JobError` with code `external-reference`, naming the reference.
  static func check(_ path: String) throws(JobError) {
    let bytes = try FileReading.contents(of: path, atMost: longest)
    // UTF-16 would hide the words that are looked for.
    guard !bytes.contains(0) else { throw refusal("text that isn't UTF-8") }
    let text = String(decoding: bytes, as: UTF8.self).lowercased()
    for word in ["<!entity", "<?xml-stylesheet", "@import"] where text.contains(word) { throw refusal(word) }
    for opening in ["href", "url("] {
      for reference in references(in: text, after: opening)
      where !reference.hasPrefix("#") && !reference.hasPrefix("data:") && !reference.isEmpty {
        throw refusal(String(reference.prefix(60)))
      }
    }
  }

  /// What follows each occurrence: a quoted value, or what stands between brackets.
  private static func references(in text: String, after opening: String) -> [Substring] {
    text.split(separator: opening).dropFirst().compactMap { rest in
      var value = rest.drop { $0.isWhitespace }
      if opening == "href" {
        guard value.first == "=" else { return nil }
        value = value.dropFirst().drop { $0.isWhitespace }
      }
      return value.drop { $0 == "\"" || $0 == "'" || $0.isWhitespace }
        .prefix { !"\"')<> \n\t".contains($0) }
    }
  }

  private static func refusal(_ what: String) -> JobError {
    JobError(
      code: .externalReference, stage: .decode,
      message:
        "the SVG refers to something outside of itself (\(what)), which is never fetched; embed it as a data: URL"
    )
  }
}
