public import Vips

/// What is wrong with a chain's text or a filter's arguments, or what went wrong when one ran.
public struct FilterError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The kinds of failure; their raw values are stable.
  public enum Code: String, Sendable, Codable {
    /// The text isn't a chain (imagemill-filters(7) has the grammar).
    case syntax = "bad-chain"
    /// No filter and no named chain bears the name.
    case unknownFilter = "unknown-filter"
    /// The filter has no parameter of that name, or has one too few or too many.
    case badArgument = "bad-argument"
    /// Named chains that use one another in a circle.
    case circular = "circular-chain"
    /// The chain has too many filters, or a text in it is too long (``ChainLimits``).
    case tooLong = "chain-too-long"
    /// The filter could not be applied to this image.
    case failed = "filter-failed"
  }

  /// The kind of failure.
  public let code: Code
  /// One sentence: what is wrong, and what to write instead.
  public let message: String
  /// Where in the chain's text, in UTF-8 bytes from its start, if the failure has a place.
  public let offset: Int?

  /// What libvips said, where it was libvips that failed.
  public let cause: VipsError?
  /// The limit that stood in the way.
  public var reason: Reason?

  /// A limit of ``FilterContext``.
  public enum Reason: Hashable, Sendable {
    /// It would have made so many pixels, more than ``FilterContext/maximumPixels``.
    case tooManyPixels(Int, limit: Int)
  }

  /// A failure at an optional place of the text.
  public init(_ code: Code, _ message: String, offset: Int? = nil, cause: VipsError? = nil) {
    self.code = code
    self.message = message
    self.offset = offset
    self.cause = cause
  }

  /// The message.
  public var description: String { message }
}
