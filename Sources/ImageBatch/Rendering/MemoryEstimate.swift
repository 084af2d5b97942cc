import ImageFilters
import Vips

/// How much memory a rendering takes, from the source's header and the chains, before any pixel is made.
///
/// It counts what grows with pictures: the decoder's buffers, what is kept for filters that read pixels more than once, and
/// the encoders' buffers; not what a process takes anyway. It is meant to be too high rather than too low. Nothing of it
/// needs libvips.
public struct MemoryEstimate: Sendable, Hashable, Codable {
  /// The most bytes at once.
  public let bytes: Int

  /// What rendering `recipes` of a source takes.
  /// - Parameters:
  ///   - source: What its header says (``SourceFacts/init(headerOf:)``, or from an earlier rendering).
  ///   - recipes: All that is rendered of it in one request.
  ///   - auxiliary: What the headers of overlays, masks and transition pictures say, by the text that names them in the
  ///     chain. Those that aren't here count as much as the picture that they are laid on.
  ///   - limits: As the request's.
  ///   - wantsPlaceholders: As the request's.
  public init(
    of source: SourceFacts, recipes: [RenderRecipe], auxiliary: [String: SourceFacts] = [:],
    limits: RenderLimits = RenderLimits(), wantsPlaceholders: Bool = false
  ) {
    guard let shape = SourceShape(source) else {
      bytes = 0
      return
    }
    let pictures = auxiliary.mapValues { Extent(width: $0.width, height: $0.height) }
    // Rectangles and strips of pixels on their way through libvips' operations: 8.17 holds more of them than 8.14.
    let widest = Double(max(shape.stored.width, shape.stored.height))
    let buffers = Double(8 << 20) + widest * 4 * 2000
    let forecast = RenderingForecast(
      source: source, shape: shape, recipes: recipes, pictures: pictures, wantsPlaceholders: wantsPlaceholders
    )
    bytes = Self.number(forecast.peak(within: limits) + buffers)
  }

  /// What decoding a source takes, all frames at full size.
  public init(of source: SourceFacts) {
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

  /// Bytes as a whole number: a header of a few bytes may promise more than there are numbers for.
  private static func number(_ bytes: Double) -> Int { Int(min(bytes, 1e18)) }
}

/// The steps of one request with their sizes: the same tree as rendering goes through.
private struct RenderingForecast {
  let source: SourceFacts
  let shape: SourceShape
  let recipes: [RenderRecipe]
  let pictures: [String: Extent]
  let wantsPlaceholders: Bool

  /// A picture on its way, and what is held for its sake.
  private struct Picture {
    var frame: FrameForecast
    var frames: Int
    var origin: Intermediate.Source
    /// Bytes that stay while it is read.
    var held: Double

    /// Itself, kept: the computation behind it is done with.
    func kept(beside others: Double) -> Picture {
      var result = self
      result.origin = .kept
      result.held = others + bytes
      return result
    }

    var bytes: Double { frame.bytes * Double(frames) }
  }

  func peak(within limits: RenderLimits) -> Double {
    var groups: [DecodeOptions: [Int]] = [:]
    for index in recipes.indices {
      // A recipe that is refused takes nothing.
      guard let options = try? DecodeOptions(for: recipes[index], of: shape, within: limits) else { continue }
      groups[options, default: []].append(index)
    }
    return groups.map { peak(of: $1, decoded: $0) }.max() ?? 0
  }

  private func peak(of indices: [Int], decoded options: DecodeOptions) -> Double {
    let stored = shape.stored
    func scaled(_ side: Int) -> Int { max(1, Int((Double(side) * options.scale).rounded(.up))) }
    let turned = shape.isTurned && !options.keepsOrientation
    let extent = Extent(
      width: scaled(turned ? stored.height : stored.width),
      height: scaled(turned ? stored.width : stored.height))
    let deep = source.bitsPerSample == 16
    let bands = options.keepsColourSpace ? source.bands ?? 4 : source.hasAlpha ? 4 : 3
    let frame = FrameForecast(
      extent: extent, bands: max(bands, source.bands ?? 3), isDeep: deep, pictures: pictures)
    let decoder = DecoderCost.bytes(source, shape, frames: options.frames)
    var picture = Picture(frame: frame, frames: options.frames, origin: .decoder, held: 0)
    let streams =
      consumers(indices, 0) == 1 && options.frames == 1
      && (options.keepsOrientation || shape.orientation == 1)
    if !streams { picture = picture.kept(beside: 0) }
    // The decoder's buffers go when the last pixel is read. A turned picture is made again from the kept one.
    return max(
      decoder + picture.held,
      grow(indices, 0, picture, beside: 0, decoder: streams ? decoder : 0))
  }

  /// How many want the picture after so many filters.
  private func consumers(_ indices: [Int], _ depth: Int) -> Int {
    let endings = Set(indices.filter { recipes[$0].chain.stepCount == depth }.map { recipes[$0].encoding })
    return endings.count + children(indices, depth).count
  }

  private func children(_ indices: [Int], _ depth: Int) -> [[Int]] {
    Array(
      Dictionary(grouping: indices.filter { recipes[$0].chain.stepCount > depth }) {
        recipes[$0].chain.prefix(depth + 1).identifier
      }.values)
  }

  /// - Parameters:
  ///   - others: Bytes that are held for others than these recipes.
  ///   - decoder: The decoder's bytes, while pixels still come from it.
  private func grow(
    _ indices: [Int], _ depth: Int, _ picture: Picture, beside others: Double, decoder: Double
  ) -> Double {
    var most = others + picture.held + decoder
    for index in indices where recipes[index].chain.stepCount == depth {
      let encoder = EncoderCost.bytes(
        recipes[index].encoding, picture.frame, frames: picture.frames, keepsPixels: wantsPlaceholders)
      most = max(most, others + picture.held + decoder + encoder)
    }
    let branches = children(indices, depth)
    // What several want stays until the last of them is done.
    let shared = consumers(indices, depth) > 1 ? picture.bytes : 0
    for branch in branches {
      // A step that is refused takes nothing.
      guard let first = branch.first,
        let step = try? recipes[first].chain.forecast(
          depth, of: picture.frame, from: picture.origin)
      else { continue }
      var input = picture
      var decoder = decoder
      if step.keepsInput {
        most = max(most, others + picture.held + decoder + picture.bytes)
        input = picture.kept(beside: 0)
        decoder = 0
      }
      var made = Picture(
        frame: step.frame, frames: recipes[first].chain.prefix(depth + 1).frameCount * picture.frames,
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

  /// A first resize may be kept for later runs.
  private func isCandidate(_ depth: Int) -> Bool { depth == 0 }
}
