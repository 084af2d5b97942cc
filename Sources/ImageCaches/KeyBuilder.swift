import Crypto

/// Builds a key from fields, as the SHA-256 of the fields with their lengths. The lengths keep different lists of
/// fields from giving the same key.
///
///     var key = KeyBuilder("rendition")
///     key.append(content.hex)
///     key.append(chain.identifier)
///     let digest = key.digest
public struct KeyBuilder {
  private var hasher = SHA256()

  /// Starts a key of the given kind. Keys of different kinds never collide.
  /// - Parameter kind: The kind's name, which becomes the first field.
  public init(_ kind: String) {
    append(kind)
  }

  /// Adds a field, with its length before it.
  /// - Parameter field: The field's text, hashed as UTF-8; may be empty.
  public mutating func append(_ field: String) {
    var field = field
    field.withUTF8 { bytes in
      withUnsafeBytes(of: UInt64(bytes.count).littleEndian) { hasher.update(bufferPointer: $0) }
      hasher.update(bufferPointer: UnsafeRawBufferPointer(bytes))
    }
  }

  /// Adds an optional field; an absent field differs from an empty one.
  /// - Parameter field: The field's text; nil if it is absent.
  public mutating func append(optional field: String?) {
    append(field == nil ? "-" : "+")
    if let field { append(field) }
  }

  /// The key of the fields added so far.
  public var digest: ContentDigest { ContentDigest(hasher.finalize()) }
}
