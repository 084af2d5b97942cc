public import Vips

/// An image between two filters, with the cost of reading its pixels again.
public struct Intermediate: Sendable {
  /// Where pixels come from, which determines the cost of reading them again.
  public enum Source: Sendable {
    /// Memory or a memory-mapped file. Reading again is free.
    case kept
    /// A decoder that produces the pixels once, from top to bottom, and keeps the lines that a resampler rereads.
    case decoder
    /// A filter that computes the pixels again.
    case filter
  }

  /// The image, whose pixels may not be computed yet.
  public let image: VipsImage
  /// Where the image's pixels come from.
  public let source: Source

  /// Creates an intermediate with a known source of pixels.
  /// - Parameters:
  ///   - image: The image.
  ///   - source: Where the image's pixels come from.
  public init(_ image: VipsImage, from source: Source) {
    self.image = image
    self.source = source
  }

  /// Creates an intermediate from a filter's result, or from an image whose pixels are stored already.
  /// - Parameter image: The image. Its source is ``Source/kept`` if its pixels are stored, otherwise
  ///   ``Source/filter``.
  public init(_ image: VipsImage) { self.init(image, from: image.isAtHand ? .kept : .filter) }

  /// The same image with its pixels stored.
  /// - Parameter storage: Stores the pixels, in memory or in a file.
  /// - Returns: This intermediate if its pixels are stored already.
  /// - Throws: `VipsError` if computing or storing the pixels fails.
  public func kept(in storage: PixelStorage) throws(VipsError) -> Intermediate {
    source == .kept ? self : Intermediate(try storage.keeping(image), from: .kept)
  }

  /// The same image with the resolution that a stored copy of it has, so that an output has the same bytes whether its
  /// filters began with the source or with a stored rendition.
  /// - Throws: `VipsError` if copying the image's header fails.
  package func roundingResolution() throws(VipsError) -> Intermediate {
    Intermediate(try image.roundingResolution(), from: source)
  }

  /// The same image, stored if a filter that reads it this way would compute pixels twice.
  func readable(_ reading: FilterDefinition.Reading, storage: PixelStorage) throws(VipsError) -> Intermediate
  {
    Self.isKept(for: reading, from: source) ? try kept(in: storage) : self
  }

  /// Whether pixels from `source` are stored before a filter reads them.
  static func isKept(for reading: FilterDefinition.Reading, from source: Source) -> Bool {
    switch (reading, source) {
    case (.once, _), (.overlapping, .decoder), (_, .kept): false
    case (.overlapping, .filter), (.anywhere, _): true
    }
  }
}
