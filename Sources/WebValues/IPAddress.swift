import Glibc

/// An IPv4 or IPv6 address, without a port.
public struct IPAddress: Hashable, Sendable, CustomStringConvertible {
  /// The address in network byte order: 4 bytes for IPv4, 16 for IPv6.
  public let bytes: [UInt8]

  /// Creates an address from its bytes; nil unless there are 4 or 16.
  /// - Parameter bytes: The address in network byte order.
  public init?(bytes: [UInt8]) {
    guard bytes.count == 4 || bytes.count == 16 else { return nil }
    self.bytes = bytes
  }

  /// Parses the notations of `inet_pton`, with or without an IPv6 literal's brackets and zone; nil for a host name.
  /// - Parameter text: The address.
  public init?(_ text: some StringProtocol) {
    var text = String(text)
    // The C functions would read only what comes before a NUL.
    guard !text.utf8.contains(0) else { return nil }
    if text.hasPrefix("["), text.hasSuffix("]") { text = String(text.dropFirst().dropLast()) }
    if let percent = text.firstIndex(of: "%") { text = String(text[..<percent]) }
    var bytes = [UInt8](repeating: 0, count: 16)
    if inet_pton(AF_INET, text, &bytes) == 1 {
      self.bytes = Array(bytes.prefix(4))
    } else if inet_pton(AF_INET6, text, &bytes) == 1 {
      self.bytes = bytes
    } else {
      return nil
    }
  }

  /// Parses a URL's host in the notations that resolvers accept: those of ``init(_:)`` and of `inet_aton` (decimal,
  /// hexadecimal or octal, one to four parts); nil for a host name. A check of dotted decimals alone misses
  /// `http://1572395042/`.
  /// - Parameter host: The host, with or without an IPv6 literal's brackets.
  public init?(host: some StringProtocol) {
    let text = host.hasSuffix(".") ? String(host.dropLast()) : String(host)
    if let address = IPAddress(text) {
      self = address
      return
    }
    var value = in_addr()
    guard !text.isEmpty, text.utf8.allSatisfy({ $0 > 32 && $0 < 127 }), inet_aton(text, &value) != 0 else {
      return nil
    }
    bytes = withUnsafeBytes(of: &value) { Array($0) }
  }

  /// The address in a `sockaddr`; nil for families other than IPv4 and IPv6.
  package init?(_ address: UnsafeRawPointer, family: Int32, length: Int) {
    switch family {
    case AF_INET where length >= MemoryLayout<sockaddr_in>.size:
      var value = address.loadUnaligned(as: sockaddr_in.self).sin_addr
      bytes = withUnsafeBytes(of: &value) { Array($0) }
    case AF_INET6 where length >= MemoryLayout<sockaddr_in6>.size:
      var value = address.loadUnaligned(as: sockaddr_in6.self).sin6_addr
      bytes = withUnsafeBytes(of: &value) { Array($0) }
    default: return nil
    }
  }

  /// Whether this is an IPv4 address.
  public var isIPv4: Bool { bytes.count == 4 }

  /// The IPv4 address embedded in an IPv6 address, else the address itself. Packets to such an IPv6 address may reach
  /// the IPv4 host. Covers IPv4-mapped (`::ffff:0:0/96`), IPv4-compatible (`::/96`), NAT64 (`64:ff9b::/96`) and 6to4
  /// (`2002::/16`) addresses.
  public var unwrapped: IPAddress {
    guard !isIPv4 else { return self }
    func inner(_ range: Range<Int>) -> IPAddress { IPAddress(bytes: Array(bytes[range])) ?? self }
    if bytes[..<10].allSatisfy({ $0 == 0 }), bytes[10] == 0xff, bytes[11] == 0xff { return inner(12..<16) }
    if bytes[..<12].elementsEqual([0, 0x64, 0xff, 0x9b, 0, 0, 0, 0, 0, 0, 0, 0]) { return inner(12..<16) }
    if bytes[0] == 0x20, bytes[1] == 0x02 { return inner(2..<6) }
    // `::` and `::1` embed no IPv4 address.
    if bytes[..<12].allSatisfy({ $0 == 0 }), bytes[12..<15].contains(where: { $0 != 0 }) {
      return inner(12..<16)
    }
    return self
  }

  /// The address as `inet_ntop` formats it.
  public var description: String {
    var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
    guard inet_ntop(isIPv4 ? AF_INET : AF_INET6, bytes, &text, socklen_t(text.count)) != nil else {
      return "?"
    }
    return String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
  }
}

/// A block of addresses in CIDR notation.
public struct IPNetwork: Hashable, Sendable, CustomStringConvertible {
  /// An address in the block; bits after the prefix are ignored.
  public let address: IPAddress
  /// The number of leading bits that must match: 0 to 32 for IPv4, 0 to 128 for IPv6.
  public let prefixLength: Int

  /// Parses `10.0.0.0/8`, `fc00::/7` or a single address; nil for any other text.
  /// - Parameter text: The block.
  public init?(_ text: some StringProtocol) {
    let parts = text.split(separator: "/", omittingEmptySubsequences: false)
    guard (1...2).contains(parts.count), let address = IPAddress(parts[0]) else { return nil }
    let width = address.bytes.count * 8
    self.address = address
    if parts.count == 2 {
      guard parts[1].utf8.allSatisfy({ (48...57).contains($0) }), let length = Int(parts[1]), length <= width
      else {
        return nil
      }
      prefixLength = length
    } else {
      prefixLength = width
    }
  }

  /// Whether the block contains the address. An IPv4 block contains no IPv6 address, and vice versa.
  /// - Parameter other: The address, compared as it is: see ``IPAddress/unwrapped``.
  public func contains(_ other: IPAddress) -> Bool {
    guard other.bytes.count == address.bytes.count else { return false }
    let whole = prefixLength / 8
    guard address.bytes[..<whole].elementsEqual(other.bytes[..<whole]) else { return false }
    guard prefixLength % 8 != 0 else { return true }
    let mask = UInt8(truncatingIfNeeded: 0xff << (8 - prefixLength % 8))
    return address.bytes[whole] & mask == other.bytes[whole] & mask
  }

  /// `address/bits`.
  public var description: String { "\(address)/\(prefixLength)" }
}
