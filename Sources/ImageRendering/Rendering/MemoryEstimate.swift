import ImageFilters
import Vips

/// An estimate of a rendering's memory, computed from the source's header and the filter chains before decoding.
///
/// It counts what grows with the image: the decoder's buffers, pixels that are kept for filters that read them
/// more than once, and the encoders' buffers. It leaves out the process's fixed cost. It errs on the high side and
/// doesn't need libvips.
package struct MemoryEstimate: Sendable, Hashable, Codable {
  /// The peak, in bytes.
  package let bytes: Int

  /// Estimates the memory for rendering `recipes` of a source.
  /// - Parameters:
  ///   - source: The source's header, from ``SourceFacts/init(headerOf:)`` or an earlier rendering.
  ///   - recipes: All recipes of the request.
  ///   - auxiliary: The headers of overlays, masks and transition images, by their text in the chain. A missing one
  ///     counts as much as the image that it is laid on.
  ///   - limits: The request's limits.
  ///   - wantsPlaceholders: Whether the request asks for placeholders.
  package init(
    of source: SourceFacts, recipes: [RenderRecipe], auxiliary: [String: SourceFacts] = [:],
    limits: RenderLimits = RenderLimits(), wantsPlaceholders: Bool = false
  ) {
    guard let shape = SourceShape(source) else {
      bytes = 0
      return
    }
    let images = auxiliary.mapValues { Size(width: $0.width, height: $0.height) }
    // libvips' operations buffer tiles and strips of pixels, 8.17 more than 8.14.
    let widest = Double(max(shape.stored.width, shape.stored.height))
    let buffers = Double(8 << 20) + widest * 4 * 2000
    let forecast = RenderingForecast(
      source: source, shape: shape, recipes: recipes, images: images, wantsPlaceholders: wantsPlaceholders
    )
    bytes = Self.number(forecast.peak(within: limits) + buffers)
  }

  /// Estimates the memory for decoding all frames of a source at full size.
  package init(of source: SourceFacts) {
    guard let shape = SourceShape(source) else {
      bytes = 0
      return
    }
    let extent = shape.stored
    let pixels = Double(extent.width) * Double(extent.height) * Double(shape.frames)
    bytes = Self.number(
      DecoderCost.bytes(source, shape, frames: shape.frames)
        + pixels * Double((source.bands ?? 4) * (source.bitsPerSample == 16 ? 2 : 1)))
  }

  /// Clamps to what `Int` can hold: a hostile header may declare more.
  private static func number(_ bytes: Double) -> Int { Int(min(bytes, 1e18)) }
}

/// The steps of one request with their sizes, in the same tree as ``RenderTree``.
private struct RenderingForecast {
  package let source: SourceFacts
  package let shape: SourceShape
  package let recipes: [RenderRecipe]
  package let images: [String: Size]
  package let wantsPlaceholders: Bool

  /// An intermediate image and the memory that it keeps alive.
  private struct Held {
    var frame: FrameForecast
    var frames: Int
    var origin: Intermediate.Source
    /// Bytes that stay allocated while the image is read.
    var held: Double

    /// The image materialized, which releases its inputs.
    func kept(beside others: Double) -> Held {
      var result = self
      result.origin = .kept
      result.held = others + bytes
      return result
    }

    var bytes: Double { frame.bytes * Double(frames) }
  }

  package func peak(within limits: RenderLimits) -> Double {
    var groups: [DecodeOptions: [Int]] = [:]
    for index in recipes.indices {
      // A recipe that fails a check takes no memory.
      guard let options = try? DecodeOptions(for: recipes[index], of: shape, within: limits) else { continue }
      groups[options, default: []].append(index)
    }
    return groups.map { peak(of: $1, decoded: $0) }.max() ?? 0
  }

  private func peak(of indices: [Int], decoded options: DecodeOptions) -> Double {
    let stored = shape.stored
    func scaled(_ side: Int) -> Int { max(1, Int((Double(side) * options.scale).rounded(.up))) }
    let turned = shape.isTurned && !options.keepsOrientation
    let extent = Size(
      width: scaled(turned ? stored.height : stored.width),
      height: scaled(turned ? stored.width : stored.height))
    let deep = source.bitsPerSample == 16
    let bands = options.keepsColorSpace ? source.bands ?? 4 : source.hasAlpha ? 4 : 3
    let frame = FrameForecast(
      extent: extent, bands: max(bands, source.bands ?? 3), isDeep: deep, images: images)
    let decoder = DecoderCost.bytes(source, shape, frames: options.frames)
    var image = Held(frame: frame, frames: options.frames, origin: .decoder, held: 0)
    let streams =
      consumers(indices, 0) == 1 && options.frames == 1
      && (options.keepsOrientation || shape.orientation == 1)
    if !streams { image = image.kept(beside: 0) }
    // The decoder's buffers are released after the last pixel. Rotation reads from kept pixels.
    return max(
      decoder + image.held,
      grow(indices, 0, image, beside: 0, decoder: streams ? decoder : 0))
  }

  /// The number of encodings and branches that read the image after `depth` filters.
  private func consumers(_ indices: [Int], _ depth: Int) -> Int {
    let endings = Set(indices.filter { recipes[$0].chain.count == depth }.map { recipes[$0].encoding })
    return endings.count + children(indices, depth).count
  }

  private func children(_ indices: [Int], _ depth: Int) -> [[Int]] {
    Array(
      Dictionary(grouping: indices.filter { recipes[$0].chain.count > depth }) {
        recipes[$0].chain.prefix(depth + 1).identifier
      }.values)
  }

  /// - Parameters:
  ///   - others: Bytes that are held for other recipes.
  ///   - decoder: The decoder's bytes; 0 once its pixels are materialized.
  private func grow(
    _ indices: [Int], _ depth: Int, _ image: Held, beside others: Double, decoder: Double
  ) -> Double {
    var most = others + image.held + decoder
    for index in indices where recipes[index].chain.count == depth {
      let encoder = EncoderCost.bytes(
        recipes[index].encoding, image.frame, frames: image.frames, keepsPixels: wantsPlaceholders)
      most = max(most, others + image.held + decoder + encoder)
    }
    let branches = children(indices, depth)
    // A shared image stays until its last consumer is done.
    let shared = consumers(indices, depth) > 1 ? image.bytes : 0
    for branch in branches {
      // A step that fails a check takes no memory.
      guard let first = branch.first,
        let step = try? recipes[first].chain.forecast(
          depth, of: image.frame, from: image.origin)
      else { continue }
      var input = image
      var decoder = decoder
      if step.keepsInput {
        most = max(most, others + image.held + decoder + image.bytes)
        input = image.kept(beside: 0)
        decoder = 0
      }
      var made = Held(
        frame: step.frame, frames: recipes[first].chain.prefix(depth + 1).frameCount * image.frames,
        origin: step.movesPixels ? input.origin : .filter, held: input.held + step.kept)
      most = max(most, others + made.held + decoder)
      if consumers(branch, depth + 1) > 1 || isCandidate(depth) {
        most = max(most, others + made.held + decoder + made.bytes)
        made = made.kept(beside: 0)
        decoder = 0
      }
      most = max(most, grow(branch, depth + 1, made, beside: others + shared, decoder: decoder))
    }
    return most
  }

  /// Whether the step's result may be kept for later runs. Only the first step's result is counted.
  private func isCandidate(_ depth: Int) -> Bool { depth == 0 }
}
