import Crypto

/// Builds a key from fields: each is written with its length before it, so no two lists of fields give one
/// key, and the whole is hashed with SHA-256.
///
///     var key = KeyBuilder("rendition")
///     key.append(content.hex)
///     key.append(chain.identifier)
///     let digest = key.digest
public struct KeyBuilder {
  private var hasher = SHA256()

  /// A key of the given kind: keys of two kinds never meet.
  public init(_ kind: String) {
    append(kind)
  }

  /// Adds a field.
  public mutating func append(_ field: String) {
    var field = field
    field.withUTF8 { bytes in
      withUnsafeBytes(of: UInt64(bytes.count).littleEndian) { hasher.update(bufferPointer: $0) }
      hasher.update(bufferPointer: UnsafeRawBufferPointer(bytes))
    }
  }

  /// Adds a field that may be absent; absent differs from empty.
  public mutating func append(optional field: String?) {
    append(field == nil ? "-" : "+")
    if let field { append(field) }
  }

  /// The key of the fields so far.
  public var digest: ContentDigest { ContentDigest(hasher.finalize()) }
}
