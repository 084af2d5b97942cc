import TestSupport
import Testing

@testable import Curl

@Suite("Blocks of addresses", .timeLimit(.minutes(8)))
struct IPNetworkTests {
  @Test(
    "are read in CIDR notation, or as one address",
    arguments: [
      ("10.0.0.0/8", "10.0.0.0/8"), ("0.0.0.0/0", "0.0.0.0/0"), ("1.2.3.4/32", "1.2.3.4/32"),
      ("1.2.3.4", "1.2.3.4/32"), ("fc00::/7", "fc00::/7"), ("::/0", "::/0"), ("::1", "::1/128"),
      ("[::1]/128", "::1/128"), ("10.0.0.0/08", "10.0.0.0/8"),
    ])
  func parsed(text: String, printed: String) {
    #expect(IPNetwork(text)?.description == printed)
    #expect(IPNetwork(printed) == IPNetwork(text))
  }

  @Test(
    "are none with another number of bits, or none at all",
    arguments: [
      "", "/", "/8", "10.0.0.0/", "10.0.0.0/33", "10.0.0.0/-1", "10.0.0.0/+8", "10.0.0.0/8/8", "10.0.0.0/ 8",
      "10.0.0.0/8 ", "10.0.0/8", "::/129", "::/x", "localhost/8", "10.0.0.0/0x8",
      "10.0.0.0/99999999999999999999",
    ])
  func refused(text: String) { #expect(IPNetwork(text) == nil) }

  @Test(
    "hold their first and last address, and not the ones next to them",
    arguments: [
      ("10.0.0.0/8", "10.0.0.0", "10.255.255.255", "9.255.255.255", "11.0.0.0"),
      ("172.16.0.0/12", "172.16.0.0", "172.31.255.255", "172.15.255.255", "172.32.0.0"),
      ("192.168.0.0/16", "192.168.0.0", "192.168.255.255", "192.167.255.255", "192.169.0.0"),
      ("100.64.0.0/10", "100.64.0.0", "100.127.255.255", "100.63.255.255", "100.128.0.0"),
      ("169.254.0.0/16", "169.254.0.0", "169.254.255.255", "169.253.255.255", "169.255.0.0"),
      ("127.0.0.1", "127.0.0.1", "127.0.0.1", "127.0.0.0", "127.0.0.2"),
      ("224.0.0.0/4", "224.0.0.0", "239.255.255.255", "223.255.255.255", "240.0.0.0"),
      ("198.18.0.0/15", "198.18.0.0", "198.19.255.255", "198.17.255.255", "198.20.0.0"),
      ("fc00::/7", "fc00::", "fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "fbff::", "fe00::"),
      ("fe80::/10", "fe80::", "febf:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "fe7f::", "fec0::"),
      ("2001:db8::/32", "2001:db8::", "2001:db8:ffff:ffff:ffff:ffff:ffff:ffff", "2001:db7::", "2001:db9::"),
    ])
  func edges(block: String, first: String, last: String, before: String, after: String) throws {
    let network = try #require(IPNetwork(block))
    for text in [first, last, before, after] {
      let address = try #require(IPAddress(text))
      #expect(network.contains(address) == (text == first || text == last), "\(text)")
    }
  }

  @Test("hold exactly those addresses whose leading bits are theirs")
  func property() throws {
    let seed = SeededRandom.seed
    var random = SeededRandom(seed: seed)
    for _ in 0..<3000 {
      let count = Bool.random(using: &random) ? 4 : 16
      let base = (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
      let length = Int.random(in: 0...count * 8, using: &random)
      let first = try #require(IPAddress(bytes: base))
      let network = try #require(IPNetwork("\(first)/\(length)"))
      #expect(network.prefixLength == length && network.address.bytes == base)
      // One bit changed: inside if it is behind the prefix.
      let bit = Int.random(in: 0..<count * 8, using: &random)
      var other = base
      other[bit / 8] ^= 0x80 >> UInt8(bit % 8)
      let address = try #require(IPAddress(bytes: other))
      #expect(network.contains(address) == (bit >= length), "seed \(seed): \(network) \(address)")
      #expect(network.contains(network.address))
    }
  }

  @Test("of one family hold nothing of the other")
  func families() throws {
    let all = [try #require(IPNetwork("0.0.0.0/0")), try #require(IPNetwork("::/0"))]
    let addresses = [try #require(IPAddress("1.2.3.4")), try #require(IPAddress("::ffff:1.2.3.4"))]
    for (index, network) in all.enumerated() {
      for (other, address) in addresses.enumerated() {
        #expect(network.contains(address) == (index == other))
      }
    }
  }
}
