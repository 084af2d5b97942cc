/// A parser of untrusted bytes, and what must hold for all of them.
struct FuzzTarget: Sendable, CustomStringConvertible {
  /// The name of its directory in `Corpus` and of its dictionary.
  let name: String
  /// Parses the bytes.
  /// - Throws: ``Finding`` if a property doesn't hold. What the parser refuses is no finding.
  let check: @Sendable ([UInt8]) throws -> Void

  var description: String { name }

  /// A target of text.
  static func text(_ name: String, _ check: @escaping @Sendable (String) throws -> Void) -> FuzzTarget {
    FuzzTarget(name: name) { try check(String(decoding: $0, as: UTF8.self)) }
  }

  /// All targets.
  static let all =
    [chain, url, template, netrc, date, cacheControl, contentRange, signature, placeholders, svg, profile]
    + documents + lines + frames
}

/// A property that doesn't hold.
struct Finding: Error, CustomStringConvertible {
  let description: String
}

/// Throws a ``Finding`` unless the condition holds.
func require(_ condition: Bool, _ description: @autoclosure () -> String) throws(Finding) {
  if !condition { throw Finding(description: description()) }
}

/// Throws a ``Finding`` unless the values are equal.
func require<Value: Equatable>(
  _ value: Value?, is expected: Value, _ description: @autoclosure () -> String
) throws(Finding) {
  guard value != expected else { return }
  throw Finding(description: "\(description()): \(value.map { "\($0)" } ?? "nothing") instead of \(expected)")
}

/// What `parse` returns; nil if it refuses the text.
func accepted<Value, Failure: Error>(_ parse: () throws(Failure) -> Value) -> Value? {
  do { return try parse() } catch { return nil }
}
