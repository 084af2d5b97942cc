import Curl
import SystemIO

/// An absolute http or https URL (RFC 3986). Parsing is strict, so that the host that is checked is the one that
/// libcurl connects to.
public struct WebAddress: Hashable, Sendable, CustomStringConvertible {
  /// The scheme in lower case: `http` or `https`.
  public let scheme: String
  /// The host in lower case; an IPv6 literal with its brackets.
  public let host: String
  /// The port, 1 to 65535. Default: 80 for http, 443 for https.
  public let port: Int
  /// The origin, to which credentials belong: `scheme://host`, with the port if it isn't the default (RFC 6454).
  public let origin: String
  /// The normalized URL without user name and password, for requests, messages and keys.
  public let description: String
  /// The decoded user name and password of the URL, which are never part of its texts.
  let credential: Credential?

  struct Credential: Hashable, Sendable {
    var user: String
    var password: String
  }

  /// Parses a URL; nil if it is invalid, relative or has another scheme.
  /// - Parameter text: The URL. A user name and password are kept apart, and a fragment is dropped.
  public init?(_ text: String) {
    // Parse bytes, not characters, for speed: all delimiters are ASCII, and a list may have a million URLs.
    guard let colon = text.utf8.firstIndex(of: UInt8(ascii: ":")) else { return nil }
    let scheme = text[..<colon].lowercased()
    guard scheme == "http" || scheme == "https", text.utf8[colon...].starts(with: "://".utf8) else {
      return nil
    }
    let rest = text[text.utf8.index(colon, offsetBy: 3)...]
    let end = rest.utf8.firstIndex { Self.authorityEnds.contains($0) } ?? rest.endIndex
    var authority = rest[..<end]
    guard end == rest.endIndex || rest.utf8[end] != UInt8(ascii: "\\") else { return nil }
    if let at = authority.utf8.lastIndex(of: UInt8(ascii: "@")) {
      credential = Self.credential(authority[..<at])
      authority = authority[authority.utf8.index(after: at)...]
    } else {
      credential = nil
    }
    guard let (host, port) = Self.hostAndPort(authority) else { return nil }
    self.scheme = scheme
    self.host = host
    let defaultPort = scheme == "https" ? 443 : 80
    self.port = port ?? defaultPort
    origin = self.port == defaultPort ? "\(scheme)://\(host)" : "\(scheme)://\(host):\(self.port)"
    let fragment = rest.utf8[end...].firstIndex(of: UInt8(ascii: "#")) ?? rest.endIndex
    let description = origin + Self.encoded(rest[end..<fragment])
    // Share the caller's text if it is already normalized.
    self.description = description == text ? text : description
  }

  private static let authorityEnds = Array("/?#\\".utf8)

  /// The path and the query, starting with `/`, percent-encoded.
  public var target: Substring {
    description[description.utf8.index(description.startIndex, offsetBy: origin.utf8.count)...]
  }

  /// The URL for display, without the values of query parameters that carry signatures or tokens.
  public var displayText: String {
    guard let question = target.utf8.firstIndex(of: UInt8(ascii: "?")) else { return description }
    let parameters = target[target.index(after: question)...].split(
      separator: "&", omittingEmptySubsequences: false)
    let shown = parameters.map { parameter -> String in
      let name = parameter.prefix { $0 != "=" }
      return Self.isSecret(name.lowercased()) && name.count < parameter.count
        ? "\(name)=…" : String(parameter)
    }
    return origin + target[...question] + shown.joined(separator: "&")
  }

  /// Whether a parameter with a name in lower case carries a signature or a token.
  static func isSecret(_ name: String) -> Bool {
    ["token", "signature", "secret", "password", "passwd", "apikey", "api_key", "api-key", "credential"]
      .contains { name.contains($0) } || ["sig", "key", "auth", "access_key"].contains(name)
  }

  /// The path without the query.
  var path: Substring { target.prefix { $0 != "?" } }

  private static func credential(_ text: Substring) -> Credential {
    let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    return Credential(
      user: PercentEncoding.decoded(parts[0]),
      password: parts.count > 1 ? PercentEncoding.decoded(parts[1]) : "")
  }

  private static func hostAndPort(_ authority: Substring) -> (String, Int?)? {
    var host = authority
    var port: Int?
    let afterLiteral = authority.utf8.lastIndex(of: UInt8(ascii: "]")) ?? authority.startIndex
    if let colon = authority.utf8[afterLiteral...].lastIndex(of: UInt8(ascii: ":")) {
      host = authority[..<colon]
      let digits = authority[authority.utf8.index(after: colon)...]
      if !digits.isEmpty {
        guard digits.utf8.allSatisfy({ (48...57).contains($0) }), let number = Int(digits),
          (1...65535).contains(number)
        else { return nil }
        port = number
      }
    }
    if host.hasPrefix("[") {
      guard host.hasSuffix("]"), let address = IPAddress(host), !address.isIPv4 else { return nil }
      return ("[\(address)]", port)
    }
    let isOrdinary = host.utf8.allSatisfy { $0 > 32 && $0 != 127 && !forbiddenInHosts.contains($0) }
    guard !host.isEmpty, isOrdinary else { return nil }
    let name = host.lowercased()
    // One dot at the end stands for the root. Two are an empty label, and without one the host would be another.
    guard !name.hasSuffix("..") else { return nil }
    return (name.utf8.count > 1 && name.hasSuffix(".") ? String(name.dropLast()) : name, port)
  }

  private static let forbiddenInHosts = Array("<>\"%^`{}|[]@:/\\?#".utf8)

  /// Adds a missing leading slash, and percent-encodes spaces, control characters, non-ASCII bytes, `"`, `<` and `>`.
  private static func encoded(_ text: Substring) -> String {
    let encoded = PercentEncoding.encoded(text) { $0 <= 32 || $0 >= 127 || "\"<>".utf8.contains($0) }
    return Paths.isAbsolute(encoded) ? encoded : "/" + encoded
  }

  /// Resolves a reference against this URL (RFC 3986 §5.2); nil if the result is invalid or has another scheme.
  func resolving(_ reference: String) -> WebAddress? {
    guard let base = URLReference(parsing: description),
      let reference = URLReference(parsing: FieldList.trimmed(reference))
    else { return nil }
    return WebAddress(base.resolving(reference).text)
  }
}
