import ImageCaches

/// What the index remembers of an output beside its numbers: a line for the format, and four for the placeholders
/// where they were made.
struct RememberedOutput {
  let format: OutputFormat?
  let placeholders: Placeholders?

  init(_ image: RenderedFile) {
    format = image.format
    placeholders = image.placeholders
  }

  init(_ stored: StoredOutput) {
    let lines = stored.extra.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    format = lines.first.flatMap { OutputFormat(rawValue: $0) }
    placeholders =
      lines.count == 5
      ? Placeholders(dominantColour: lines[1], blurHash: lines[2], thumbHash: lines[3], dataURI: lines[4])
      : nil
  }

  /// An output without placeholders.
  static func withoutPlaceholders(_ stored: StoredOutput) -> StoredOutput {
    guard let end = stored.extra.firstIndex(of: "\n") else { return stored }
    var result = stored
    result.extra = String(stored.extra[..<end])
    return result
  }

  /// As the index holds it.
  var text: String {
    var lines = [format?.rawValue ?? ""]
    if let placeholders {
      lines += [
        placeholders.dominantColour, placeholders.blurHash, placeholders.thumbHash, placeholders.dataURI,
      ]
    }
    return lines.joined(separator: "\n")
  }
}
