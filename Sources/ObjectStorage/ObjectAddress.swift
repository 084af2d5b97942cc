import SystemIO

/// The address of an object, or of all objects whose keys begin alike: `s3://bucket/key`.
///
/// Nothing in the key is an escape, as in the AWS CLI: `s3://photos/50%25 off?.jpg` has the key `50%25 off?.jpg`.
package struct ObjectAddress: Hashable, Sendable, CustomStringConvertible {
  /// The bucket's name.
  package let bucket: String
  /// The key, or the prefix of keys; may be empty only for a prefix.
  package let key: String

  /// The mistake in an address, and its correction.
  package struct Mistake: Error, Hashable {
    package let message: String

    package init(message: String) {
      self.message = message
    }
  }

  /// The length of the longest key, in bytes.
  package static let longestKey = 1024

  package init(bucket: String, key: String) {
    self.bucket = bucket
    self.key = key
  }

  /// Parses the address of an object.
  /// - Throws: `Mistake` if the text isn't one.
  package init(parsing text: String) throws(Mistake) {
    try self.init(parsingPrefix: text)
    guard !key.isEmpty else {
      throw Mistake(message: "the S3 URL names no object: write 's3://BUCKET/KEY'")
    }
  }

  /// Parses the address of a bucket, or of the objects whose keys have a prefix: `s3://bucket` or `s3://bucket/prefix`.
  /// - Throws: `Mistake` if the text isn't one.
  package init(parsingPrefix text: String) throws(Mistake) {
    guard Self.isAddress(text) else { throw Mistake(message: "an S3 URL must begin with 's3://'") }
    let rest = text.utf8.dropFirst(5)
    let end = rest.firstIndex(of: UInt8(ascii: "/")) ?? rest.endIndex
    let bucket = String(text[rest.startIndex..<end])
    guard !bucket.isEmpty else {
      throw Mistake(message: "the S3 URL has no bucket: write 's3://BUCKET/KEY'")
    }
    guard Self.isBucket(bucket) else {
      throw Mistake(
        message: "a bucket's name has letters, digits, '.', '-' and '_' only; "
          // What precedes an '@' may be a password, so the message doesn't quote it.
          + (bucket.contains("@") ? "an S3 URL has no user name" : "this one is '\(bucket)'"))
    }
    self.bucket = bucket
    key = end == rest.endIndex ? "" : String(text[text.utf8.index(after: end)...])
    if let control = key.unicodeScalars.first(where: { $0.properties.generalCategory == .control }) {
      let number = String(control.value, radix: 16, uppercase: true)
      throw Mistake(message: "the key contains the control character U+\(number), which isn't supported")
    }
    guard key.utf8.count <= Self.longestKey else {
      throw Mistake(message: "the key has \(key.utf8.count) bytes; the longest has \(Self.longestKey)")
    }
  }

  /// Whether a text begins as an address does.
  package static func isAddress(_ text: String) -> Bool {
    text.utf8.starts(with: "s3://".utf8) || text.utf8.starts(with: "S3://".utf8)
  }

  /// Older buckets, and other servers', may have capitals and underscores.
  private static func isBucket(_ name: String) -> Bool {
    name.utf8.count <= 255 && name != "." && name != ".."
      && name.utf8.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
          UInt8(ascii: "0")...UInt8(ascii: "9"):
          true
        default: "._-".utf8.contains(byte)
        }
      }
  }

  package var description: String { "s3://\(bucket)/\(key)" }
}
