import Vips

extension FilterChain {
  /// Checks the sizes of the filters' results before pixels are computed, as far as they follow from the image's size: up to
  /// a filter whose result depends on the image's content, or one of a program's own.
  /// - Parameters:
  ///   - extent: The size of a frame in pixels.
  ///   - frames: The number of frames.
  ///   - maximumPixels: The limit of a result's pixels, all frames together.
  /// - Throws: The `FilterError` that ``applyStep(_:to:shrunk:context:)`` throws for the first result that is too large.
  package func checkSizes(from extent: Size, frames: Int, maximumPixels: Int) throws(FilterError) {
    var frame = FrameForecast(extent: extent, bands: 4, isDeep: false)
    var frames = frames
    for (index, step) in steps.enumerated() {
      guard step.determinesSize(of: frame.extent) else { return }
      frame = try forecast(index, of: frame, from: .kept).frame
      let size = frame.extent
      if step.traits?.scaledSize != nil || step.name == "extend" {
        _ = try ResizingGeometry.checked(Double(size.width), Double(size.height))
      }
      if step.traits?.makesFrames == true { frames *= frameCount }
      try FilterContext.check(
        Size(width: size.width, height: size.height * frames), of: step.name, maximumPixels: maximumPixels)
    }
  }
}

extension FilterStep {
  /// Whether the size of the step's result follows from the frame's, and the step can be applied to a frame of that size.
  fileprivate func determinesSize(of extent: Size) -> Bool {
    guard traits != nil, name != "trim" else { return false }
    guard name == "crop" else { return true }
    guard let area = try? arguments.area("area").extent, (try? arguments.boolean("clip")) == false else {
      return false
    }
    return area.width <= extent.width && area.height <= extent.height
  }
}

extension FilterContext {
  /// Throws `FilterError` if a filter's result, all frames together, has more pixels than allowed.
  static func check(_ size: Size, of name: String, maximumPixels: Int) throws(FilterError) {
    let (product, overflows) = size.width.multipliedReportingOverflow(by: size.height)
    let pixels = overflows ? .max : product
    guard pixels > maximumPixels else { return }
    var error = FilterError(
      .failed,
      "\(name) would produce \(size.width)x\(size.height) pixels, which exceeds the limit of \(maximumPixels)"
    )
    error.reason = .tooManyPixels(pixels, limit: maximumPixels)
    throw error
  }
}
