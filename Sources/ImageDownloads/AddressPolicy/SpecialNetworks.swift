public import WebValues

/// The kinds of networks outside the public Internet. The raw values are the words that ``AddressPolicy/allow(_:)`` takes.
public enum SpecialNetwork: String, Sendable, Hashable, Codable, CaseIterable {
  /// This machine: 127.0.0.0/8 and ::1.
  case loopback
  /// Private networks (RFC 1918), the shared addresses of providers (RFC 6598) and unique local addresses (RFC 4193).
  case privateUse = "private"
  /// The local link (RFC 3927, RFC 4291): 169.254.0.0/16 and fe80::/10.
  case linkLocal = "link-local"
  /// The deprecated site-local addresses (RFC 3879): fec0::/10.
  case siteLocal = "site-local"
  /// Translation to IPv4 with a prefix of the local network (RFC 8215): 64:ff9b:1::/48. The IPv4 address in the last 32
  /// bits must be allowed too.
  case nat64
  /// Benchmarks of network devices (RFC 2544, RFC 5180).
  case benchmarking
  /// Examples in documentation (RFC 5737, RFC 3849, RFC 9637).
  case documentation
  /// Everything else: multicast, reserved and unassigned addresses, and protocols' own.
  case reserved

  /// The networks of IANA's registries: special-purpose addresses of IPv4 and IPv6 (RFC 6890), and the address space of
  /// both. IPv6 outside 2000::/3 isn't assigned to the Internet. An entry that the registries call globally reachable is
  /// left out, such as 192.31.196.0/24, or is public although a block here contains it.
  public var networks: [IPNetwork] { Self.table[self] ?? [] }

  private static let table: [SpecialNetwork: [IPNetwork]] = [
    .loopback: networks("127.0.0.0/8", "::1/128"),
    .privateUse: networks("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "100.64.0.0/10", "fc00::/7"),
    .linkLocal: networks("169.254.0.0/16", "fe80::/10"),
    .siteLocal: networks("fec0::/10"),
    .nat64: networks("64:ff9b:1::/48"),
    .benchmarking: networks("198.18.0.0/15", "2001:2::/48"),
    .documentation: networks(
      "192.0.2.0/24", "198.51.100.0/24", "203.0.113.0/24", "2001:db8::/32", "3fff::/20"),
    .reserved: networks(
      "0.0.0.0/8", "192.0.0.0/24", "192.88.99.0/24", "224.0.0.0/4", "240.0.0.0/4",
      // Protocol assignments such as Teredo and ORCHID, in 2000::/3.
      "2001::/23",
      // All but 2000::/3, with discard-only 100::/64 and 100:0:0:1::/64, segment routing 5f00::/16, and multicast.
      "::/3", "4000::/2", "8000::/1"),
  ]

  /// Addresses inside ``networks`` that the registries call globally reachable: anycast of PCP, TURN and DNS-SD's proxy, AMT,
  /// AS112, ORCHIDv2 and drones' identifiers.
  private static let publicExceptions = networks(
    "192.0.0.9/32", "192.0.0.10/32", "2001:1::1/128", "2001:1::2/128", "2001:1::3/128", "2001:3::/32",
    "2001:4:112::/48", "2001:20::/28", "2001:30::/28")

  /// IPv6 addresses that stand for the IPv4 address in them, which alone decides: IPv4-mapped, NAT64's well-known prefix and
  /// 6to4.
  private static let translated = networks("::ffff:0:0/96", "64:ff9b::/96", "2002::/16")

  private static func networks(_ texts: String...) -> [IPNetwork] { texts.compactMap { IPNetwork($0) } }

  /// The kinds that an address belongs to; empty for an address of the public Internet.
  /// - Parameter address: The address. One that stands for an IPv4 address has the kinds of that. An address of ``nat64``
  ///   has those of its IPv4 address too.
  static func kinds(of address: IPAddress) -> Set<SpecialNetwork> {
    let end = end(of: address)
    if isIn(translated, address) { return Set([first(end)].compactMap(\.self)) }
    let kinds = Set([first(address)].compactMap(\.self))
    return kinds.contains(.nat64) ? kinds.union([first(end)].compactMap(\.self)) : kinds
  }

  /// The address that packets to `address` reach: the IPv4 address in an IPv6 address that has one, else itself.
  static func end(of address: IPAddress) -> IPAddress {
    guard isIn(nat64.networks, address) else { return address.unwrapped }
    return IPAddress(bytes: Array(address.bytes.suffix(4))) ?? address
  }

  private static func first(_ address: IPAddress) -> SpecialNetwork? {
    if isIn(publicExceptions, address) { return nil }
    // In the order of the cases: the networks of `reserved` contain others.
    return allCases.first { isIn($0.networks, address) }
  }

  private static func isIn(_ networks: [IPNetwork], _ address: IPAddress) -> Bool {
    networks.contains { $0.contains(address) }
  }
}
