public import Vips

extension FilterChain {
  /// Applies every filter, frame by frame.
  ///
  /// - Parameters:
  ///   - image: Any image, converted to upright sRGB first. If it has several pages, each is a frame and is
  ///     filtered separately.
  ///   - context: Supplies the images for overlays and masks, limits and pixel storage. Default: no images.
  /// - Returns: An sRGB image of 8 bits per channel, or 16 if the input has more than 8. It has 3 bands, and
  ///   a fourth for alpha if the input has one or a filter adds one. Its pixels are computed when they are
  ///   read.
  /// - Throws: `FilterError`: the error of ``check()`` for an invalid argument; otherwise `filter-failed`,
  ///   naming the filter.
  public func apply(to image: VipsImage, context: FilterContext = FilterContext()) throws(FilterError)
    -> VipsImage
  {
    try check()
    var current = Intermediate(try image.preparedForFilters())
    for step in 0..<steps.count { current = try applyStep(step, to: current, context: context) }
    return current.image
  }

  /// The identifier of one filter, with all its arguments.
  /// - Parameter index: The filter's position, from 0; must be less than ``count``.
  public func step(_ index: Int) -> String { steps[index].identifier }

  /// The chain's first filters, for results that several chains share.
  /// - Parameter count: The number of filters, at least 0.
  /// - Returns: The whole chain if it has no more filters.
  public func prefix(_ count: Int) -> FilterChain {
    count >= steps.count ? self : FilterChain(checked: Array(steps.prefix(count)))
  }

  /// Whether the first filter resizes the whole image.
  public var resizesFirst: Bool { steps.first?.traits?.scaledSize != nil }

  /// Applies one filter to every frame.
  ///
  /// If the filter reads pixels more than once, its input is stored first, so that no earlier filter computes a
  /// pixel twice.
  /// - Parameters:
  ///   - index: The filter's position, from 0.
  ///   - current: The previous filter's result, or an image prepared for filters.
  ///   - shrunk: For the first filter, the frame's geometry before the decoder shrank it.
  ///   - context: Supplies referenced images, pixel storage and limits.
  /// - Throws: `FilterError` naming the filter. Its `reason` is set if the result exceeds
  ///   `context.maximumPixels`.
  public func applyStep(
    _ index: Int, to current: Intermediate, shrunk: ShrinkOnLoad? = nil, context: FilterContext
  ) throws(FilterError) -> Intermediate {
    let step = steps[index]
    if let filter = step.custom { return try apply(filter, to: current, at: index, context: context) }
    guard case .frame(let traits, let run)? = step.definition?.behavior else {
      throw FilterError(.unknownFilter, "unknown filter '\(step.name)'")
    }
    do {
      let readable = try current.readable(traits.reading, storage: context.storage)
      let image = readable.image
      let count = image.pageCount
      var result: VipsImage
      guard count == 1 || !traits.makesFrames else {
        throw FilterError(
          .failed, "\(step.name) needs a still image, and the input is an animation")
      }
      if count == 1 || traits.isPointwise {
        result = try run(
          FilterPass(image: image, arguments: step.arguments, shrunk: shrunk, context: context))
      } else {
        result = try image.mappingFrames { frame in
          try run(FilterPass(image: frame, arguments: step.arguments, shrunk: shrunk, context: context))
        }
      }
      try context.check(result, of: step.name)
      if let probe = context.probe { result = try probe(index, result) }
      return traits.movesPixels || result === image
        ? Intermediate(result, from: readable.source) : Intermediate(result)
    } catch let error as FilterError {
      throw error
    } catch let error as VipsError {
      throw FilterError(.failed, "\(step.name) failed: \(error.description)", cause: error)
    } catch {
      throw FilterError(.failed, "\(step.name) failed: \(error)")
    }
  }

  /// Applies a program's own filter to every frame. Its access pattern is unknown, so its input is stored.
  private func apply(
    _ filter: any ImageFilter, to current: Intermediate, at index: Int, context: FilterContext
  ) throws(FilterError) -> Intermediate {
    let name = steps[index].name
    do {
      let image = try current.readable(.anywhere, storage: context.storage).image
      var result =
        image.pageCount == 1
        ? try filter.apply(to: image) : try image.mappingFrames { try filter.apply(to: $0) }
      result = try result.preparedForFilters()
      try context.check(result, of: name)
      if let probe = context.probe { result = try probe(index, result) }
      return Intermediate(result)
    } catch let error as FilterError {
      throw error
    } catch let error as VipsError {
      throw FilterError(.failed, "\(name) failed: \(error.description)", cause: error)
    } catch {
      throw FilterError(.failed, "\(name) failed: \(error)")
    }
  }

  /// Whether a filter turns a still image into an animation, so that one frame of the source is enough.
  public var makesFrames: Bool { transitionCount > 0 }

  /// The number of filters that turn a still image into an animation. A chain with more than one can't be applied.
  public var transitionCount: Int { steps.count { $0.traits?.makesFrames == true } }

  /// Whether no filter depends on colors, so that a gray or wide-gamut image need not be converted to sRGB.
  public var keepsColorSpace: Bool { steps.allSatisfy { $0.traits?.keepsColorSpace == true } }

  /// Whether a gray image stays gray: no filter adds color by itself, from an argument or from another image.
  public var keepsGray: Bool {
    steps.allSatisfy { step in
      guard let traits = step.traits, !traits.addsColor else { return false }
      return step.arguments.values.allSatisfy { entry in
        if case .color(let color) = entry.value { color.isGray } else { true }
      }
    }
  }

  /// The factor by which the first filter scales a frame; the larger of the two sides' factors.
  ///
  /// - Parameter extent: The frame's size in pixels.
  /// - Returns: nil if the filter is not a resize, or needs a frame that the decoder hasn't shrunk.
  /// - Throws: `FilterError` if the target size can't be computed.
  public func firstScale(of extent: Size) throws(FilterError) -> Double? {
    guard let step = steps.first, let scaledSize = step.traits?.scaledSize else { return nil }
    // Shrinking on load would change the pixels that `kernel=nearest` picks, and it averages encoded values, not
    // the light that `linear=true` asks for.
    for entry in step.arguments.values {
      if entry.key == "kernel", entry.value == .word("nearest") { return nil }
      if entry.key == "linear", entry.value == .boolean(true) { return nil }
    }
    do {
      let (width, height) = try scaledSize(step.arguments, extent)
      return max(width / Double(extent.width), height / Double(extent.height))
    } catch let error as FilterError {
      throw error
    } catch {
      throw FilterError(.failed, "\(step.name) failed: \(error)")
    }
  }
}

extension FilterContext {
  /// Throws `FilterError` if a filter's result has more pixels than allowed.
  fileprivate func check(_ result: VipsImage, of name: String) throws(FilterError) {
    try Self.check(
      Size(width: result.width, height: result.height), of: name, maximumPixels: maximumPixels)
  }
}

extension VipsImage {
  /// Applies `body` to each page and stacks the results as pages again, keeping the animation's timing.
  func mappingFrames(_ body: (VipsImage) throws -> VipsImage) throws -> VipsImage {
    let side = pageHeight
    var frames: [VipsImage] = []
    for index in 0..<pageCount {
      let frame = try cropped(x: 0, y: index * side, width: width, height: side)
        .editingMetadata { $0.remove("page-height") }
      frames.append(try body(frame))
    }
    guard let first = frames.first,
      frames.allSatisfy({ $0.width == first.width && $0.height == first.height })
    else {
      throw FilterError(
        .failed,
        "the animation's frames would differ in size; use a filter that gives every frame the same size")
    }
    // A filter may add alpha to some frames only, and stacking needs the same bands in all of them.
    if frames.contains(where: \.hasAlpha) { frames = try frames.map { try $0.addingAlpha() } }
    return try VipsImage.stacked(frames).editingMetadata { $0.set("page-height", first.height) }
  }
}
