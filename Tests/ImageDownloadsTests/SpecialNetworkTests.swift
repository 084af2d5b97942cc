import Testing

@testable import ImageDownloads

/// IANA's registries of special-purpose addresses, as of 2025: the first and the last address of each block.
@Suite("Networks outside the public Internet", .timeLimit(.minutes(8)))
struct SpecialNetworkTests {
  private static let blocks: [(SpecialNetwork, [String])] = [
    (.loopback, ["127.0.0.0/8", "::1/128"]),
    (.privateUse, ["10.0.0.0/8", "100.64.0.0/10", "172.16.0.0/12", "192.168.0.0/16", "fc00::/7"]),
    (.linkLocal, ["169.254.0.0/16", "fe80::/10"]), (.siteLocal, ["fec0::/10"]),
    (.benchmarking, ["198.18.0.0/15", "2001:2::/48"]),
    (
      .documentation,
      ["192.0.2.0/24", "198.51.100.0/24", "203.0.113.0/24", "2001:db8::/32", "3fff::/20"]
    ),
    (
      .reserved,
      [
        "0.0.0.0/8", "192.0.0.0/29", "192.0.0.8/32", "192.0.0.170/31", "192.88.99.0/24", "240.0.0.0/4",
        "224.0.0.0/4", "255.255.255.255/32", "::/128", "100::/64", "100:0:0:1::/64", "2001::/32",
        "2001:10::/28", "5f00::/16", "ff00::/8", "::ffff:0:0:0/96", "4000::/3", "e000::/4", "200::/7",
      ]
    ),
  ]
  private static let reachable = [
    "1.1.1.1/32", "192.0.0.9/32", "192.0.0.10/32", "192.31.196.0/24", "192.52.193.0/24", "192.175.48.0/24",
    "2001:1::1/128", "2001:1::2/128", "2001:1::3/128", "2001:3::/32", "2001:4:112::/48", "2001:20::/28",
    "2001:30::/28", "2620:4f:8000::/48", "2600::/12", "64:ff9b::101:101/128", "::ffff:1.1.1.1/128",
    "2002:101:101::/48",
  ]

  /// The first and the last address of a block.
  private static func ends(_ block: String) throws -> [IPAddress] {
    let network = try #require(IPNetwork(block))
    let last = network.address.bytes.enumerated().map { index, byte in
      let kept = min(8, max(0, network.prefixLength - 8 * index))
      return byte | UInt8(0xff >> kept)
    }
    return [network.address, try #require(IPAddress(bytes: last))]
  }

  @Test("are refused from their first address to their last, and allowed by their word alone")
  func words() throws {
    for (kind, texts) in Self.blocks {
      for address in try texts.flatMap(Self.ends) {
        #expect(SpecialNetwork.kinds(of: address) == [kind], "\(address)")
        for word in SpecialNetwork.allCases {
          var policy = AddressPolicy()
          let isWord = policy.allow(word.rawValue)
          #expect(
            isWord && policy.allows(address, for: "h") == (word == kind), "\(address) with \(word.rawValue)")
        }
        #expect(!AddressPolicy().allows(address, for: "h"), "\(address)")
        #expect(
          AddressPolicy().refusal(of: address).reason
            == .specialAddress(address: "\(address.unwrapped)", kind))
      }
    }
  }

  @Test("don't contain the addresses that the registries call globally reachable")
  func reachable() throws {
    for address in try Self.reachable.flatMap(Self.ends) {
      #expect(AddressPolicy().allows(address, for: "h"), "\(address)")
    }
  }

  @Test("of a local network's NAT64 are allowed together with the IPv4 address behind them")
  func nat64() throws {
    func allows(_ text: String, _ words: String...) throws -> Bool {
      var policy = AddressPolicy()
      for word in words {
        let isWord = policy.allow(word)
        #expect(isWord)
      }
      return policy.allows(try #require(IPAddress(text)), for: "h")
    }
    #expect(try !allows("64:ff9b:1::8.8.8.8") && allows("64:ff9b:1::8.8.8.8", "nat64"))
    #expect(try !allows("64:ff9b:1::10.0.0.1", "nat64") && !allows("64:ff9b:1::10.0.0.1", "private"))
    #expect(try allows("64:ff9b:1::10.0.0.1", "nat64", "private"))
    // A cloud's metadata service stays closed behind any translation.
    for text in ["64:ff9b:1::a9fe:a9fe", "64:ff9b::a9fe:a9fe", "::ffff:169.254.169.254", "169.254.169.254"] {
      #expect(try !allows(text, "nat64", "private", "link-local"), "\(text)")
    }
    #expect(try allows("169.254.1.1", "link-local") && allows("64:ff9b::169.254.1.1", "link-local"))
    #expect(try !allows("169.254.1.1", "private") && !allows("fec0::1", "private", "link-local"))
  }
}
