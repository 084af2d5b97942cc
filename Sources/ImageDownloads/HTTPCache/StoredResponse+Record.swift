import Curl
import ImageCaches

/// The text form in the index. It resembles a message (RFC 9112 §2.1), which is cheap to write with every download:
///
/// ```text
/// 200 OK
/// 1718000000.25 1718000000.5 <the body's digest>
/// accept: image/webp
/// accept-language
///
/// Content-Type: image/webp
/// ETag: "x"
/// ```
///
/// The status; the times of the request and the response, the digest, and `private` if the request showed who the user
/// is; the request fields that selected it, with a colon if the request had them; after a blank line, the response
/// fields. A field never contains a line feed, which would end it.
extension StoredResponse {
  var record: String {
    var record = "\(status) \(reason)\n\(requestTime) \(responseTime) \(digest.hex)"
    record += isPrivate ? " private\n" : "\n"
    for field in selection {
      record += field.name
      if let value = field.value { record += ": " + value }
      record += "\n"
    }
    for field in fields {
      record += "\n"
      record += field.name
      record += ": "
      record += field.value
    }
    return record
  }

  /// Parses a record; nil if it is malformed.
  init?(record: String) {
    var lines = record.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)[...]
    guard let start = lines.popFirst(), let times = lines.popFirst() else { return nil }
    let status = start.prefix { $0 != UInt8(ascii: " ") }
    let words = times.split(separator: UInt8(ascii: " ")).map(Substring.init)
    guard let number = Int(Substring(status)), start.count > status.count, 3...4 ~= words.count,
      words.count == 3 || words[3] == "private",
      let requestTime = Double(words[0]), let responseTime = Double(words[1]),
      let digest = ContentDigest(hex: words[2])
    else { return nil }
    var selection: [Selection] = []
    while let line = lines.popFirst(), !line.isEmpty {
      let (name, value) = Self.field(line)
      selection.append(Selection(name: name, value: value))
    }
    var fields: [HeaderField] = []
    for line in lines {
      guard case (let name, let value?) = Self.field(line) else { return nil }
      fields.append(HeaderField(name, value))
    }
    self.init(
      status: number, reason: String(Substring(start.dropFirst(status.count + 1))), fields: fields,
      requestTime: requestTime, responseTime: responseTime, selection: selection, digest: digest,
      isPrivate: words.count == 4)
  }

  private static func field(_ line: Substring.UTF8View) -> (name: String, value: String?) {
    guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else { return (String(Substring(line)), nil) }
    return (String(Substring(line[..<colon])), String(Substring(line[colon...].dropFirst(2))))
  }
}
