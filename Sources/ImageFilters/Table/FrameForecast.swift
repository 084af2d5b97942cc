import Vips

/// A frame between two filters, as far as it is known before there are pixels.
public struct FrameForecast: Sendable, Hashable {
  /// In pixels.
  public var extent: Extent
  /// Numbers in each pixel, the alpha among them.
  public var bands: Int
  /// Whether the numbers have 16 bits.
  public var isDeep: Bool
  /// The sizes of pictures that a chain names, by the text that names them.
  public var pictures: [String: Extent]

  /// A frame, and the pictures that a chain names.
  public init(extent: Extent, bands: Int, isDeep: Bool, pictures: [String: Extent] = [:]) {
    self.extent = extent
    self.bands = bands
    self.isDeep = isDeep
    self.pictures = pictures
  }

  /// Numbers in the frame.
  public var samples: Double { Double(extent.width) * Double(extent.height) * Double(bands) }

  /// What the frame takes when it is kept.
  public var bytes: Double { samples * (isDeep ? 2 : 1) }

  var hasAlpha: Bool { bands == 2 || bands == 4 }

  /// The bytes of a picture that the chain names; as large as the frame where that isn't known.
  func pictureBytes(_ reference: String) -> Double {
    let extent = pictures[reference] ?? extent
    return Double(extent.width) * Double(extent.height) * 4
  }

  /// The pixels of the frame with so many more on each side.
  func grown(by margin: Double) -> Double {
    (Double(extent.width) + 2 * margin) * (Double(extent.height) + 2 * margin)
  }

  /// What a Gaussian blur keeps: its input as whole numbers where that is computed, and for wide ones the images of half
  /// the size, each with its blurred one.
  func blurBytes(radius: Double, edge: String, linear: Bool) -> Double {
    let isExtended = edge != "clamp"
    let bands = Double(isExtended ? max(4, bands) : bands)
    let samples = grown(by: isExtended ? 4 * radius + 2 : 4) * bands
    let isComputed = isExtended || hasAlpha || linear
    let number = isDeep ? 4.0 : 2.0
    let input = isDeep || isComputed ? number : 0
    return samples * (input + (radius >= 4 ? number * 2 / 4 * 4 / 3 : 0))
  }

  /// What tiles of the frame's width keep: three rows of them, of premultiplied numbers where there is an alpha
  /// (``VipsImage/computedInTiles()``, ``VipsImage/computedInBands()``).
  var tileBytes: Double {
    let rows = Double(3 * VipsImage.tileSide)
    return rows * Double(extent.width) * Double(bands) * (hasAlpha ? 4 : isDeep ? 2 : 1)
  }

  /// What sharpening keeps of the lightness.
  func lumaBytes(sigma: Double) -> Double {
    grown(by: 4) * (isDeep ? 4 : 2) * (1 + (sigma >= 4 ? 2.0 / 3 : 0))
  }
}

extension FilterChain {
  /// What a filter makes and keeps.
  public struct StepForecast: Sendable, Hashable {
    /// What it makes; at most that, where it depends on what the picture shows.
    public var frame: FrameForecast
    /// Whether its input is kept while its result is read.
    public var keepsInput: Bool
    /// Whether its result takes as long to read again as its input.
    public var movesPixels: Bool
    /// What else it keeps meanwhile, in bytes.
    public var kept: Double
  }

  /// What one of its filters makes of a frame, and what it keeps for that, without a pixel.
  /// - Parameters:
  ///   - index: From 0.
  ///   - frame: What the filter before it makes.
  ///   - source: Where the frame's pixels come from.
  public func forecast(
    _ index: Int, of frame: FrameForecast, from source: Intermediate.Source
  ) throws(FilterError) -> StepForecast {
    let step = steps[index]
    guard case .frame(let traits, _)? = FilterTable.definition(named: step.name)?.behaviour else {
      throw FilterError(.unknownFilter, "unknown filter '\(step.name)'")
    }
    do {
      var made = frame
      if let (width, height) = try traits.size?(step.arguments, frame.extent) {
        made.extent = Extent(width: max(1, Int(width.rounded())), height: max(1, Int(height.rounded())))
      }
      if traits.addsAlpha, !frame.hasAlpha { made.bands += 1 }
      return StepForecast(
        frame: made, keepsInput: Intermediate.isKept(for: traits.reading, from: source),
        movesPixels: traits.movesPixels, kept: try traits.keeps?(step.arguments, frame) ?? 0)
    } catch let error as FilterError {
      throw error
    } catch {
      throw FilterError(.failed, "\(step.name): \(error)")
    }
  }

  /// How many frames its transition makes of a still picture; 1 without one.
  public var frameCount: Int {
    guard let step = steps.first(where: { $0.name == "transition" }) else { return 1 }
    do {
      return Transition.frameCount(
        duration: try step.arguments.integer("duration"), rate: try step.arguments.integer("fps"))
    } catch {
      // A definition's own parameters are there: every example is run by a test that would see it.
      return 1
    }
  }
}
