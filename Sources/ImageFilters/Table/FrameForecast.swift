import Vips

/// What is known about a frame between two filters before its pixels are computed.
public struct FrameForecast: Sendable, Hashable {
  /// The frame's size in pixels.
  public var extent: Size
  /// The number of bands, including alpha.
  public var bands: Int
  /// Whether the bands have 16 bits instead of 8.
  public var isDeep: Bool
  /// The sizes of the images that the chain refers to, by the reference's text.
  public var images: [String: Size]

  /// Creates a forecast of a frame.
  /// - Parameters:
  ///   - extent: The frame's size in pixels.
  ///   - bands: The number of bands, including alpha; 1 to 4.
  ///   - isDeep: Whether the bands have 16 bits instead of 8.
  ///   - images: The sizes of the images that the chain refers to, by the reference's text. An image that
  ///     isn't listed counts as large as the frame. Default: none.
  public init(extent: Size, bands: Int, isDeep: Bool, images: [String: Size] = [:]) {
    self.extent = extent
    self.bands = bands
    self.isDeep = isDeep
    self.images = images
  }

  /// The number of samples in the frame: pixels times bands.
  public var samples: Double { Double(extent.width) * Double(extent.height) * Double(bands) }

  /// The size of the stored frame in bytes.
  public var bytes: Double { samples * (isDeep ? 2 : 1) }

  var hasAlpha: Bool { bands == 2 || bands == 4 }

  /// The size in bytes of an image that the chain refers to; if unknown, it is taken to be as large as the frame.
  func imageBytes(_ reference: String) -> Double {
    let extent = images[reference] ?? extent
    return Double(extent.width) * Double(extent.height) * 4
  }

  /// The number of pixels of the frame with `margin` pixels added on each side.
  func grown(by margin: Double) -> Double {
    (Double(extent.width) + 2 * margin) * (Double(extent.height) + 2 * margin)
  }

  /// The bytes that a Gaussian blur holds: its input, if that is converted first, and for a wide blur each half-size
  /// image with its blurred copy.
  func blurBytes(radius: Double, edge: String, linear: Bool) -> Double {
    let isExtended = edge != "clamp"
    let bands = Double(isExtended ? max(4, bands) : bands)
    let samples = grown(by: isExtended ? 4 * radius + 2 : 4) * bands
    let isComputed = isExtended || hasAlpha || linear
    let number = isDeep ? 4.0 : 2.0
    let input = isDeep || isComputed ? number : 0
    return samples * (input + (radius >= 4 ? number * 2 / 4 * 4 / 3 : 0))
  }

  /// The bytes that a tile cache holds: three rows of tiles, premultiplied floats if the frame has alpha
  /// (``VipsImage/computedInTiles()``, ``VipsImage/computedInBands()``).
  var tileBytes: Double {
    let rows = Double(3 * VipsImage.tileSide)
    return rows * Double(extent.width) * Double(bands) * (hasAlpha ? 4 : isDeep ? 2 : 1)
  }

  /// The bytes that sharpening holds for the luma band and its blurred copies.
  func lumaBytes(sigma: Double) -> Double {
    grown(by: 4) * (isDeep ? 4 : 2) * (1 + (sigma >= 4 ? 2.0 / 3 : 0))
  }
}

extension FilterChain {
  /// What a filter produces and what it holds in memory.
  public struct StepForecast: Sendable, Hashable {
    /// The result; its size is an upper bound if it depends on the image's content.
    public var frame: FrameForecast
    /// Whether the filter's input is stored while its result is read.
    public var keepsInput: Bool
    /// Whether reading the result again costs no more than reading the input again.
    public var movesPixels: Bool
    /// What else the filter holds while its result is read, in bytes.
    public var kept: Double
    /// A coarse estimate of the filter's time for one frame on one processor, in seconds.
    public var seconds: Double
  }

  /// Predicts a filter's result and memory use without computing pixels.
  /// - Parameters:
  ///   - index: The filter's position, from 0.
  ///   - frame: The previous filter's result.
  ///   - source: Where the frame's pixels come from.
  /// - Throws: `FilterError` if the result's size can't be computed.
  public func forecast(
    _ index: Int, of frame: FrameForecast, from source: Intermediate.Source
  ) throws(FilterError) -> StepForecast {
    let step = steps[index]
    // Nothing is known about a program's own filter; most keep the size.
    guard step.custom == nil else {
      return StepForecast(
        frame: frame, keepsInput: Intermediate.isKept(for: .anywhere, from: source), movesPixels: false,
        kept: 0, seconds: FilterCost.seconds(of: nil, from: frame, to: frame))
    }
    guard let traits = step.traits else {
      throw FilterError(.unknownFilter, "unknown filter '\(step.name)'")
    }
    do {
      var made = frame
      if let (width, height) = try traits.size?(step.arguments, frame.extent) {
        made.extent = Size(width: max(1, Int(width.rounded())), height: max(1, Int(height.rounded())))
      }
      if traits.addsAlpha, !frame.hasAlpha { made.bands += 1 }
      return StepForecast(
        frame: made, keepsInput: Intermediate.isKept(for: traits.reading, from: source),
        movesPixels: traits.movesPixels, kept: try traits.keeps?(step.arguments, frame) ?? 0,
        seconds: FilterCost.seconds(of: step.definition, from: frame, to: made))
    } catch let error as FilterError {
      throw error
    } catch {
      throw FilterError(.failed, "\(step.name): \(error)")
    }
  }

  /// The number of frames that the chain's transition makes from a still image; 1 without a transition.
  public var frameCount: Int {
    guard let step = steps.first(where: { $0.traits?.makesFrames == true }) else { return 1 }
    do {
      return Transition.frameCount(
        duration: try step.arguments.milliseconds("duration"), rate: try step.arguments.integer("fps"))
    } catch {
      // Can't happen: `transition` declares both parameters with defaults.
      return 1
    }
  }
}
