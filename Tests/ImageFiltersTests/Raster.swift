import TestSupport
import Testing
import Vips

@testable import ImageFilters

/// An image as plain numbers, for computing beside the filters what they should make. Colors count 0 to 255.
struct Raster {
  let width: Int
  let height: Int
  let bands: Int
  var values: [Double]

  init(width: Int, height: Int, bands: Int, values: [Double]) {
    (self.width, self.height, self.bands, self.values) = (width, height, bands, values)
  }

  /// A raster whose numbers `value` makes of column, row and band.
  init(width: Int, height: Int, bands: Int, _ value: (Int, Int, Int) -> Double) {
    var values: [Double] = []
    values.reserveCapacity(width * height * bands)
    for y in 0..<height {
      for x in 0..<width { for band in 0..<bands { values.append(value(x, y, band)) } }
    }
    self.init(width: width, height: height, bands: bands, values: values)
  }

  /// An image's numbers; those of 16 bits as if they had 8.
  init(_ image: VipsImage) throws {
    let numbers = try image.cast(to: .double).pixels()
    let scale = image.format == .ushort ? 1 / 257.0 : 1
    self.init(
      width: image.width, height: image.height, bands: image.bands,
      values: numbers.withUnsafeBytes { $0.bindMemory(to: Double.self).map { $0 * scale } })
  }

  /// Noise of whole numbers; the alpha, if there is one, is nowhere small unless `clear`.
  static func noise(_ width: Int, _ height: Int, bands: Int = 3, clear: Bool = false, seed: UInt64) -> Raster
  {
    var random = SeededRandom(seed: seed)
    return Raster(width: width, height: height, bands: bands) { _, _, band in
      band == 3 && !clear
        ? Double(Int.random(in: 60...255, using: &random)) : Double(Int.random(in: 0...255, using: &random))
    }
  }

  /// The raster as an image of sRGB; with 16 bits if `deep`.
  func image(deep: Bool = false) throws -> VipsImage {
    let bytes = values.map { UInt8(min(255, max(0, $0.rounded()))) }
    let image = try VipsImage(
      pixels: bytes, width: width, height: height, bands: bands, interpretation: bands < 3 ? .gray : .sRGB)
    guard deep else { return image }
    return try image.linear([257], [0]).cast(to: .ushort)
      .copied(["interpretation": bands < 3 ? "grey16" : "rgb16"])
  }

  /// A number; beyond the edges, that of the edge.
  subscript(x: Int, y: Int, band: Int) -> Double {
    values[(min(height - 1, max(0, y)) * width + min(width - 1, max(0, x))) * bands + band]
  }

  /// Another raster of the same size, from this one's columns, rows and bands.
  func map(_ value: (Int, Int, Int) -> Double) -> Raster {
    Raster(width: width, height: height, bands: bands, value)
  }

  /// Each pixel's colors through `body`; an alpha stays.
  func mapColors(_ body: ([Double]) -> [Double]) -> Raster {
    var result = self
    for start in stride(from: 0, to: values.count, by: bands) {
      result.values.replaceSubrange(start..<start + 3, with: body(Array(values[start..<start + 3])))
    }
    return result
  }

  /// Colors times the alpha, or divided by it; black where there is none.
  func premultiplied() -> Raster {
    bands != 4
      ? self : map { x, y, band in band == 3 ? self[x, y, 3] : self[x, y, band] * self[x, y, 3] / 255 }
  }

  func unpremultiplied() -> Raster {
    guard bands == 4 else { return self }
    return map { x, y, band in
      let alpha = self[x, y, 3]
      return band == 3 ? alpha : alpha <= 0 ? 0 : self[x, y, band] * 255 / alpha
    }
  }

  /// The largest difference of a number that can be seen: of those whose alpha is at least `least` in both.
  func distance(to other: Raster, least: Double = 32) -> Double {
    guard width == other.width, height == other.height, bands == other.bands else { return .infinity }
    var worst = 0.0
    for (index, (left, right)) in zip(values, other.values).enumerated() {
      if bands == 4, index % 4 != 3 {
        let alpha = index - index % 4 + 3
        if values[alpha] < least || other.values[alpha] < least { continue }
      }
      worst = max(worst, abs(left - right))
    }
    return worst
  }

  /// As a computation ends: in whole numbers from 0 to 255.
  func clipped() -> Raster {
    map { x, y, band in min(255, max(0, self[x, y, band])) }
  }
}

/// The result of a chain on a raster.
func applied(
  _ chain: String, to raster: Raster, deep: Bool = false, context: FilterContext = FilterContext()
) throws -> Raster {
  try Raster(FilterChain(parsing: chain).apply(to: raster.image(deep: deep), context: context))
}
