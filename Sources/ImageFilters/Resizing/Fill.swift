import Vips

/// `fill`: scales the image to cover the size and crops the rest.
struct Fill {
  let pass: FilterPass

  init(_ pass: FilterPass) { self.pass = pass }

  func run() throws -> VipsImage {
    let size = try pass.arguments.size("size")
    let (width, height) = size.resolved(for: pass.extent)
    return try Self.filled(
      pass.image, span: pass.span, extent: pass.extent, canvas: ResizingGeometry.checked(width, height),
      gravity: pass.arguments.gravity("gravity"), snap: pass.arguments.boolean("snap"),
      resampler: Resampler(pass), storage: pass.context.storage)
  }

  static func filled(
    _ image: VipsImage, span: SampledSize? = nil, extent: Size, canvas: Size, gravity: Gravity, snap: Bool,
    resampler: Resampler, storage: PixelStorage
  ) throws -> VipsImage {
    let factor = max(
      Double(canvas.width) / Double(extent.width), Double(canvas.height) / Double(extent.height))
    let chooses = gravity == .attention || gravity == .entropy
    guard snap || chooses else {
      let width = Double(extent.width) * factor
      let height = Double(extent.height) * factor
      return try resampler.placed(
        image, across: width / (span ?? SampledSize(image)).width,
        down: height / (span ?? SampledSize(image)).height,
        x: gravity.origin(of: width, along: Double(canvas.width), axis: \.x),
        y: gravity.origin(of: height, along: Double(canvas.height), axis: \.y), canvas: canvas)
    }
    let scaled = Size(rounding: Double(extent.width) * factor, Double(extent.height) * factor)
    let covering = Size(width: max(scaled.width, canvas.width), height: max(scaled.height, canvas.height))
    let covered = try resampler.resized(image, span: span, to: covering)
    return try Crop.cropped(covered, to: canvas, gravity: gravity, storage: storage)
  }
}
