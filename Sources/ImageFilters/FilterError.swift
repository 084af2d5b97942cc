public import Vips

/// An invalid chain or filter argument, or a filter that failed.
public struct FilterError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The kinds of failure; their raw values are stable.
  public enum Code: String, Sendable, Codable {
    /// The text doesn't match the chain grammar in imagemill-filters(7).
    case syntax = "bad-chain"
    /// No filter and no named chain has the name.
    case unknownFilter = "unknown-filter"
    /// An argument is invalid, missing, unknown, given twice or one too many.
    case badArgument = "bad-argument"
    /// Named chains refer to each other in a cycle.
    case circular = "circular-chain"
    /// The chain, or a text in it, exceeds ``ChainLimits``.
    case tooLong = "chain-too-long"
    /// The filter could not be applied to this image.
    case failed = "filter-failed"
  }

  /// The kind of failure.
  public let code: Code
  /// One sentence: what is wrong, and what to write instead.
  public let message: String
  /// The failure's position in the chain's text, in UTF-8 bytes from its start; nil if it has none.
  public let offset: Int?

  /// libvips' error, if libvips failed.
  public let cause: VipsError?
  /// The limit that the filter exceeded, if any.
  public var reason: Reason?

  /// A limit of ``FilterContext``.
  public enum Reason: Hashable, Sendable {
    /// The result would have more pixels than ``FilterContext/maximumPixels``.
    case tooManyPixels(Int, limit: Int)
  }

  /// Creates an error, optionally with its position in the chain's text and libvips' error.
  public init(_ code: Code, _ message: String, offset: Int? = nil, cause: VipsError? = nil) {
    self.code = code
    self.message = message
    self.offset = offset
    self.cause = cause
  }

  /// The message.
  public var description: String { message }
}
