public import Vips

/// A picture between two filters, and what reading its pixels costs.
public struct Intermediate: Sendable {
  /// What reading a pixel again costs.
  public enum Source: Sendable {
    /// Nothing: it is in memory, or in a file that is mapped into memory.
    case kept
    /// A decoder makes the pixels from top to bottom, once, and keeps the lines that a resampler reads again.
    case decoder
    /// A filter computes it again.
    case filter
  }

  /// The picture.
  public let image: VipsImage
  /// Where its pixels come from.
  public let source: Source

  /// A picture whose pixels come from `source`.
  public init(_ image: VipsImage, from source: Source) {
    self.image = image
    self.source = source
  }

  /// A picture that is kept if its pixels are at hand.
  public init(_ image: VipsImage) { self.init(image, from: image.isAtHand ? .kept : .filter) }

  /// The same picture, kept.
  public func kept(in storage: PixelStorage) throws(VipsError) -> Intermediate {
    source == .kept ? self : Intermediate(try storage.keeping(image), from: .kept)
  }

  /// The same picture as a filter needs it that reads in a certain way.
  func readable(_ reading: FilterDefinition.Reading, storage: PixelStorage) throws(VipsError) -> Intermediate
  {
    Self.isKept(for: reading, from: source) ? try kept(in: storage) : self
  }

  /// Whether pixels are kept before a filter reads them.
  static func isKept(for reading: FilterDefinition.Reading, from source: Source) -> Bool {
    switch (reading, source) {
    case (.once, _), (.overlapping, .decoder), (_, .kept): false
    case (.overlapping, .filter), (.anywhere, _): true
    }
  }
}
