import Vips

/// `pad`: fits the image into a canvas.
struct Pad {
  let pass: FilterPass

  init(_ pass: FilterPass) { self.pass = pass }

  func run() throws -> VipsImage {
    let size = try pass.arguments.size("size")
    let (width, height) = size.resolved(for: pass.extent)
    let canvas = Canvas(
      pass: pass, background: try pass.arguments.color("background"),
      extent: try ResizingGeometry.checked(width, height))
    let factor = ResizingGeometry.fittingFactor(size, pass.extent)
    let gravity = try pass.arguments.gravity("gravity")
    return try pass.arguments.boolean("snap")
      ? snapped(on: canvas, factor, gravity) : fractional(on: canvas, factor, gravity)
  }

  private func snapped(on canvas: Canvas, _ factor: Double, _ gravity: Gravity) throws -> VipsImage {
    let scaled = try ResizingGeometry.scaled(pass.extent, by: factor)
    let fitted = Size(
      width: min(scaled.width, canvas.extent.width), height: min(scaled.height, canvas.extent.height))
    let image = try Resampler(pass).resized(pass.image, span: pass.span, to: fitted)
    let x = gravity.origin(of: Double(fitted.width), along: Double(canvas.extent.width), axis: \.x)
    let y = gravity.origin(of: Double(fitted.height), along: Double(canvas.extent.height), axis: \.y)
    return try canvas.holding(image, x: Int(x.rounded(.down)), y: Int(y.rounded(.down)))
  }

  /// AlamofireImage's geometry: size and position are fractional, and an edge pixel that the image covers partly is
  /// partly transparent.
  private func fractional(on canvas: Canvas, _ factor: Double, _ gravity: Gravity) throws -> VipsImage {
    let width = Double(pass.extent.width) * factor
    let height = Double(pass.extent.height) * factor
    let x = gravity.origin(of: width, along: Double(canvas.extent.width), axis: \.x)
    let y = gravity.origin(of: height, along: Double(canvas.extent.height), axis: \.y)
    let spread = try Resampler(pass).placed(
      pass.image, across: width / pass.span.width, down: height / pass.span.height, x: x,
      y: y,
      canvas: canvas.extent)
    let columns = Self.coverage(from: x, to: x + width, count: canvas.extent.width)
    let rows = Self.coverage(from: y, to: y + height, count: canvas.extent.height)
    let across = try VipsImage(
      pixels: columns, width: columns.count, height: 1, bands: 1, interpretation: .gray
    )
    .embedded(x: 0, y: 0, width: columns.count, height: rows.count, extend: "copy")
    let down = try VipsImage(pixels: rows, width: 1, height: rows.count, bands: 1, interpretation: .gray)
      .embedded(x: 0, y: 0, width: columns.count, height: rows.count, extend: "copy")
    let coverage = try across.combined("multiply", with: down).linear([1.0 / 255], [0.5]).cast(to: .uchar)
    return try canvas.under(spread.multiplyingAlpha(byCoverage: coverage))
  }

  /// The coverage of each of `count` pixels by the span between two points; 255 is fully covered.
  static func coverage(from start: Double, to end: Double, count: Int) -> [UInt8] {
    (0..<count).map { pixel in
      let part = min(end, Double(pixel + 1)) - max(start, Double(pixel))
      return UInt8((min(1, max(0, part)) * 255).rounded())
    }
  }
}
