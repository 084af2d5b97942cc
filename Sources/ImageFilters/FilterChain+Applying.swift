public import Vips

extension FilterChain {
  /// The picture with every filter applied, frame by frame.
  ///
  /// - Parameters:
  ///   - image: Any picture; several pages are frames, each filtered alone. It is made upright and sRGB first.
  ///   - context: Where overlays and masks come from.
  /// - Returns: sRGB of 8 bits, or of 16 where the picture had more than 8; 3 bands, and a fourth for alpha
  ///   where the picture had one or a filter made one. Its pixels are computed when they are read.
  /// - Throws: `FilterError` with code `filter-failed`, naming the filter.
  public func apply(to image: VipsImage, context: FilterContext = FilterContext()) throws(FilterError)
    -> VipsImage
  {
    var picture = Intermediate(try image.preparedForFilters())
    for step in 0..<steps.count { picture = try applyStep(step, to: picture, context: context) }
    return picture.image
  }

  /// How many filters it runs.
  public var stepCount: Int { steps.count }

  /// The identifier of one of its filters, from 0.
  public func step(_ index: Int) -> String { steps[index].identifier }

  /// Its first `count` filters: what two chains that begin alike have in common.
  public func prefix(_ count: Int) -> FilterChain {
    count >= steps.count ? self : FilterChain(checked: Array(steps.prefix(count)))
  }

  /// Whether its first filter resizes the whole picture before anything else is done to it.
  public var resizesFirst: Bool {
    guard let step = steps.first,
      case .frame(let traits, _)? = FilterTable.definition(named: step.name)?.behaviour
    else { return false }
    return traits.scaledSize != nil
  }

  /// Runs one filter on every frame.
  ///
  /// What the filter reads more than once is kept first, so that no filter before it computes a pixel twice.
  /// - Parameters:
  ///   - index: From 0.
  ///   - picture: What the filter before it returned, or a picture prepared for filters.
  ///   - shrunk: For the first filter, what the frame was before its decoder shrank it.
  ///   - context: What the filter's SOURCE texts stand for, and what else it needs from outside.
  public func applyStep(
    _ index: Int, to picture: Intermediate, shrunk: ShrunkFrame? = nil, context: FilterContext
  ) throws(FilterError) -> Intermediate {
    let step = steps[index]
    guard let definition = FilterTable.definition(named: step.name),
      case .frame(let traits, let run) = definition.behaviour
    else { throw FilterError(.unknownFilter, "unknown filter '\(step.name)'") }
    do {
      let readable = try picture.readable(traits.reading, storage: context.storage)
      let image = readable.image
      let count = image.pageCount
      var result: VipsImage
      guard count == 1 || !traits.makesFrames else {
        throw FilterError(
          .failed, "\(step.name) makes an animation of a still picture, not of another animation")
      }
      if count == 1 || traits.isPointwise {
        result = try run(
          FilterPass(image: image, arguments: step.arguments, shrunk: shrunk, context: context))
      } else {
        result = try image.mappingFrames { frame in
          try run(FilterPass(image: frame, arguments: step.arguments, shrunk: shrunk, context: context))
        }
      }
      let pixels = result.width * result.height
      guard pixels <= context.maximumPixels else {
        var error = FilterError(
          .failed,
          "\(step.name) would make \(result.width)x\(result.height) pixels, more than the limit of "
            + "\(context.maximumPixels)")
        error.reason = .tooManyPixels(pixels, limit: context.maximumPixels)
        throw error
      }
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

  /// Whether a filter makes an animation of a still picture, so that one frame is all it wants.
  public var makesFrames: Bool { transitionCount > 0 }

  /// How many of its filters make an animation of a still picture. More than one can't be applied.
  public var transitionCount: Int {
    steps.count { step in
      guard case .frame(let traits, _)? = FilterTable.definition(named: step.name)?.behaviour else {
        return false
      }
      return traits.makesFrames
    }
  }

  /// Whether no filter looks at colours, so that a gray or wide-gamut picture may stay what it is.
  public var keepsColourSpace: Bool {
    steps.allSatisfy { step in
      guard case .frame(let traits, _)? = FilterTable.definition(named: step.name)?.behaviour else {
        return false
      }
      return traits.keepsColourSpace
    }
  }

  /// Whether a gray picture stays gray: no filter adds colors of its own, of an argument or of another picture.
  public var keepsGray: Bool {
    steps.allSatisfy { step in
      guard let definition = FilterTable.definition(named: step.name),
        case .frame(let traits, _) = definition.behaviour, !traits.addsColour
      else { return false }
      return step.arguments.values.allSatisfy { entry in
        if case .colour(let colour) = entry.value { colour.isGray } else { true }
      }
    }
  }

  /// By how much the first filter scales a frame of `extent`, on the side that it scales more; nil where it
  /// isn't a resize that can do with a frame that was scaled while it was decoded.
  public func firstScale(of extent: Extent) throws(FilterError) -> Double? {
    guard let step = steps.first,
      case .frame(let traits, _)? = FilterTable.definition(named: step.name)?.behaviour,
      let scaledSize = traits.scaledSize
    else { return nil }
    // Nearest neighbours and linear light are asked for by those who look at every pixel.
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

extension VipsImage {
  /// Each page through `body`, and the results under one another as pages again, with the animation's timing.
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
        "the animation's frames would have different sizes; use a filter that gives each the same size")
    }
    // One frame may have gained an alpha that another has not.
    if frames.contains(where: \.hasAlpha) { frames = try frames.map { try $0.addingAlpha() } }
    return try VipsImage.stacked(frames).editingMetadata { $0.set("page-height", first.height) }
  }
}
