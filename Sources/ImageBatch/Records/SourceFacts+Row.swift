package import ImageCaches
import ImageRendering

/// The row of a decoded source's header, by the source's digest.
extension SourceFacts: StoreRow {
  package static let table = StoreTable(
    "source_headers",
    [
      .text("format"), .integer("width"), .integer("height"), .integer("frames"), .integer("orientation"),
      .integer("has_alpha"), .integer("bands"), .integer("bits"), .integer("is_progressive"),
    ], limit: 1_000_000)

  package var values: [StoreValue] {
    [
      .text(format), .integer(width), .integer(height), .integer(frames), .integer(orientation),
      .integer(hasAlpha ? 1 : 0), StoreValue(bands), StoreValue(bitsPerSample),
      StoreValue(isProgressive.map { $0 ? 1 : 0 }),
    ]
  }

  package init?(_ values: [StoreValue]) {
    guard values.count == 9, let format = values[0].text, let width = values[1].integer,
      let height = values[2].integer, let frames = values[3].integer, let orientation = values[4].integer,
      let hasAlpha = values[5].integer
    else { return nil }
    self.init(
      format: format, width: width, height: height, frames: frames, orientation: orientation,
      hasAlpha: hasAlpha == 1)
    bands = values[6].integer
    bitsPerSample = values[7].integer
    isProgressive = values[8].integer.map { $0 == 1 }
  }
}
