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

  /// The kind of failure, such as ``Code/badArgument``.
  public let code: Code
  /// One sentence: what is wrong, and what to write instead.
  public let message: String
  /// The failure's position in the chain's text, in UTF-8 bytes from its start; nil if it has none.
  public let offset: Int?

  /// The libvips error, if a libvips operation failed; otherwise nil.
  public let cause: VipsError?
  /// The limit that the filter exceeded; nil if the failure has another cause.
  public var reason: Reason?

  /// The limits that a filter's result can exceed, with the values.
  public enum Reason: Hashable, Sendable {
    /// The result would have this many pixels, which is more than ``FilterContext/maximumPixels``.
    case tooManyPixels(Int, limit: Int)
  }

  /// Creates an error.
  /// - Parameters:
  ///   - code: The kind of failure.
  ///   - message: One sentence: what is wrong, and what to write instead.
  ///   - offset: The position in the chain's text, in UTF-8 bytes from its start. Default: nil.
  ///   - cause: The libvips error behind the failure. Default: nil.
  public init(_ code: Code, _ message: String, offset: Int? = nil, cause: VipsError? = nil) {
    self.code = code
    self.message = message
    self.offset = offset
    self.cause = cause
  }

  /// The message, without the code and the position.
  public var description: String { message }
}
