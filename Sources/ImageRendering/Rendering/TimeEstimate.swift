import ImageFilters
import Vips

/// A coarse estimate of a rendering's time, computed from the source's header and the filter chains before decoding.
///
/// It counts the pixels that each decoder, filter and encoder goes through. The nanoseconds per pixel were measured with
/// libvips 8.14 and 4-megapixel images of three bands on one server processor of 2024, and rounded up; images with much
/// detail, other processors and other load change them by a factor of two or three either way. Renditions that are stored
/// and images that chains refer to aren't counted. It doesn't need libvips.
package struct TimeEstimate: Sendable, Hashable {
  /// The time on one processor, in seconds.
  package let seconds: Double

  /// Estimates the time for rendering `recipes` of a source in one request.
  package init(of shape: SourceShape, recipes: [RenderRecipe], limits: RenderLimits = RenderLimits()) {
    var groups: [DecodeOptions: [RenderRecipe]] = [:]
    for recipe in recipes {
      // A recipe that fails a check takes no time.
      guard let options = try? DecodeOptions(for: recipe, of: shape, within: limits) else { continue }
      groups[options, default: []].append(recipe)
    }
    seconds = groups.reduce(0) { $0 + Self.seconds(for: $1.value, of: shape, decoded: $1.key) }
  }

  private static func seconds(
    for recipes: [RenderRecipe], of shape: SourceShape, decoded options: DecodeOptions
  ) -> Double {
    func scaled(_ side: Int) -> Int { max(1, Int((Double(side) * options.scale).rounded(.up))) }
    let turned = shape.isTurned && !options.keepsOrientation
    let frame = FrameForecast(
      extent: Size(
        width: scaled(turned ? shape.stored.height : shape.stored.width),
        height: scaled(turned ? shape.stored.width : shape.stored.height)),
      bands: 4, isDeep: false)
    // A drawing is computed at the size that is wanted; others are read completely.
    let read = shape.isDrawing ? frame.pixels : Double(shape.stored.width) * Double(shape.stored.height)
    let decoding = read * Double(options.frames) * DecoderTime.nanoseconds(shape.format) * 1e-9
    return decoding + grow(recipes, 0, frame, frames: options.frames)
  }

  /// The time for what follows after `depth` filters. A filter that chains begin with alike runs once.
  private static func grow(
    _ recipes: [RenderRecipe], _ depth: Int, _ frame: FrameForecast, frames: Int
  ) -> Double {
    var seconds = Set(recipes.filter { $0.chain.count == depth }.map(\.encoding)).reduce(0) {
      $0 + EncoderTime.seconds($1, pixels: frame.pixels * Double(frames))
    }
    let longer = recipes.filter { $0.chain.count > depth }
    for branch in Dictionary(grouping: longer, by: { $0.chain.prefix(depth + 1).identifier }).values {
      // A step that fails a check takes no time.
      guard let chain = branch.first?.chain,
        let step = try? chain.forecast(depth, of: frame, from: .kept)
      else { continue }
      // A transition makes several frames of one.
      let made = chain.prefix(depth + 1).frameCount / max(1, chain.prefix(depth).frameCount) * frames
      seconds += step.seconds * Double(max(frames, made))
      seconds += grow(branch, depth + 1, step.frame, frames: made)
    }
    return seconds
  }
}

extension FrameForecast {
  fileprivate var pixels: Double { Double(extent.width) * Double(extent.height) }
}

/// Measured times of decoders, in nanoseconds per pixel.
private enum DecoderTime {
  static func nanoseconds(_ format: ImageFormat) -> Double {
    switch format {
    case .jpeg: 15
    case .png, .webp, .gif: 30
    case .tiff, .ppm, .hdr, .fits: 20
    case .heic, .avif, .jxl, .exr, .bmp, .ico, .xbm, .psd, .svg, .pdf: 60
    case .jp2k: 200
    }
  }
}

/// Measured times of encoders.
private enum EncoderTime {
  static func seconds(_ encoding: Encoding, pixels: Double) -> Double {
    // The search for `max-bytes` encodes about as often as a quality from 1 to 100 can be halved.
    encoding.choices.reduce(0) { total, choice in
      total + nanoseconds(choice) * pixels * 1e-9 * (choice.maxBytes == nil ? 1 : 7)
    }
  }

  private static func nanoseconds(_ encoding: Encoding) -> Double {
    func isOn(_ name: String) -> Bool { encoding.option(name) == .flag(true) }
    let effort: Double =
      if case .integer(let effort)? = encoding.option("effort") { Double(effort) } else { 4 }
    return switch encoding.format {
    case .jpeg: isOn("progressive") || isOn("optimize") ? 25 : 10
    case .png: isOn("palette") ? 800 : 100
    case .webp: isOn("lossless") ? 1000 : 100
    case .gif: 800
    case .tiff: encoding.option("compression") == .choice("none") ? 10 : 400
    // Each step of effort takes about 1.8 times as long as the one before.
    case .avif, .heic: 50 * power(1.8, effort)
    case .jxl: 20 * power(1.5, effort)
    }
  }

  private static func power(_ base: Double, _ exponent: Double) -> Double {
    (0..<max(0, Int(exponent))).reduce(1) { power, _ in power * base }
  }
}
