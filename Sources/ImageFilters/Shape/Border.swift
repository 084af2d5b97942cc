import Vips

/// `border`: draws a line inside the edge of the image's shape.
struct Border {
  let pass: FilterPass

  init(_ pass: FilterPass) { self.pass = pass }

  func run() throws -> VipsImage {
    let color = try pass.arguments.color("colour")
    let width = try pass.arguments.integer("width")
    let mask = try pass.image.alpha().map { try line(along: $0, width) } ?? frame(width)
    let coverage =
      color.alpha == 255 ? mask : try mask.linear([Double(color.alpha) / 255], [0.5]).cast(to: .uchar)
    // The line has the shape's transparency, so that its outer edge is as smooth as the shape's.
    return try pass.image.mappingColors { colors in
      let line = try VipsImage.plain(
        pass.values(of: color, bands: colors.bands), width: colors.width, height: colors.height,
        format: colors.format, interpretation: colors.interpretation)
      return try VipsOperation(
        "ifthenelse",
        ["cond": .image(coverage), "in1": .image(line), "in2": .image(colors), "blend": .boolean(true)]
      ).image()
    }
  }

  /// The mask of a line along the edges of an opaque image: 255 on the line.
  private func frame(_ width: Int) throws -> VipsImage {
    let (columns, rows) = (pass.image.width, pass.image.height)
    let line = try VipsImage.plain([255], width: columns, height: rows, interpretation: .gray)
    guard columns > 2 * width, rows > 2 * width else { return line }
    let inside = try VipsImage.plain(
      [0], width: columns - 2 * width, height: rows - 2 * width, interpretation: .gray)
    return try VipsOperation(
      "insert",
      ["main": .image(line), "sub": .image(inside), "x": .integer(width), "y": .integer(width)]
    ).image()
  }

  /// The mask of a line along the edge of what isn't transparent.
  private func line(along alpha: VipsImage, _ width: Int) throws -> VipsImage {
    let opacity =
      alpha.format == .uchar ? alpha : try alpha.linear([255 / pass.image.maximum], [0.5]).cast(to: .uchar)
    let distances = EdgeDistance(alpha: try opacity.pixels(), width: alpha.width)
    var mask: [UInt8] = []
    mask.reserveCapacity(alpha.width * alpha.height)
    for row in 0..<alpha.height {
      mask += distances.row(row).map { distance in
        UInt8((min(1, max(0, Double(width) - distance + 0.5)) * 255).rounded())
      }
    }
    return try VipsImage(
      pixels: mask, width: alpha.width, height: alpha.height, bands: 1, interpretation: .gray)
  }

  /// What the filter holds, in bytes: alpha, a mask and an edge for each pixel, if the image may have alpha.
  static func bytes(_ frame: FrameForecast) -> Double {
    frame.hasAlpha ? frame.grown(by: 0) * 6 : 0
  }
}
