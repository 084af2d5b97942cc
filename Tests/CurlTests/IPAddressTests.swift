import Glibc
import TestSupport
import Testing

@testable import Curl

@Suite("Internet addresses", .timeLimit(.minutes(8)))
struct IPAddressTests {
  @Test(
    "are read in inet_pton's forms, with brackets and zones or without",
    arguments: [
      ("127.0.0.1", "127.0.0.1"), ("0.0.0.0", "0.0.0.0"), ("255.255.255.255", "255.255.255.255"),
      ("::", "::"), ("::1", "::1"), ("[::1]", "::1"), ("fe80::1%eth0", "fe80::1"),
      ("[fe80::1%25lo]", "fe80::1"),
      ("2001:DB8::A", "2001:db8::a"), ("2001:0db8:0000:0000:0000:0000:0000:000a", "2001:db8::a"),
      ("::ffff:10.0.0.1", "::ffff:10.0.0.1"), ("64:ff9b::1.2.3.4", "64:ff9b::102:304"),
    ])
  func forms(text: String, printed: String) throws {
    let address = try #require(IPAddress(text))
    #expect(address.description == printed)
    #expect(address.isIPv4 == !printed.contains(":"))
    #expect(IPAddress(printed) == address)
  }

  @Test(
    "are none where the text is a name or nearly one",
    arguments: [
      "", "localhost", "example.org", "1.2.3", "1.2.3.4.5", "256.1.1.1", "1.2.3.-4", "1.2.3.4 ", " 1.2.3.4",
      "01.2.3.4x", "::g", ":::", "1::2::3", "[127.0.0.1", "::1]", "1:2:3:4:5:6:7", "1:2:3:4:5:6:7:8:9",
      "0x7f.1",
      "2130706433", "1.2.3.4/8", "1.2.3.4\0", "::1\0x", "[::1\0]",
    ])
  func names(text: String) { #expect(IPAddress(text) == nil) }

  @Test(
    "are read from a URL's host in every notation that a resolver takes",
    arguments: [
      ("127.0.0.1", "127.0.0.1"), ("127.0.0.1.", "127.0.0.1"), ("127.1", "127.0.0.1"),
      ("127.0.1", "127.0.0.1"),
      ("2130706433", "127.0.0.1"), ("0x7f000001", "127.0.0.1"), ("0x7f.1", "127.0.0.1"),
      ("0177.0.0.1", "127.0.0.1"), ("017700000001", "127.0.0.1"), ("0", "0.0.0.0"),
      ("10.65535", "10.0.255.255"),
      ("[::1]", "::1"), ("::1", "::1"), ("0xA9FEA9FE", "169.254.169.254"),
    ])
  func hosts(text: String, printed: String) {
    #expect(IPAddress(host: text)?.description == printed)
  }

  @Test(
    "aren't seen in hosts that are names",
    arguments: [
      "", ".", "localhost", "a.1", "1.2.3.4.5", "127.0.0.256", "0x", "08.1.1.1", "1 .2.3.4", "127.0.0.1 x",
      "é", "127.0.0.1\0.example",
    ])
  func hostNames(text: String) { #expect(IPAddress(host: text) == nil) }

  @Test("have 4 or 16 bytes, and no other count", arguments: 0...20)
  func byteCounts(count: Int) {
    let bytes = (0..<count).map { UInt8($0 + 1) }
    let address = IPAddress(bytes: bytes)
    #expect((address != nil) == (count == 4 || count == 16))
    #expect(address.map { $0.bytes == bytes } ?? true)
  }

  @Test("are read back from what they print, whatever they are")
  func roundTrip() {
    let seed = SeededRandom.seed
    var random = SeededRandom(seed: seed)
    for round in 0..<4000 {
      var bytes = (0..<(round % 2 == 0 ? 4 : 16)).map { _ in UInt8.random(in: 0...255, using: &random) }
      // Runs of zeros are what the short form leaves out.
      if Bool.random(using: &random) {
        let start = Int.random(in: 0..<bytes.count, using: &random)
        for index in start..<Int.random(in: start...bytes.count, using: &random) { bytes[index] = 0 }
      }
      let address = IPAddress(bytes: bytes)
      #expect(address.flatMap { IPAddress($0.description) } == address, "seed \(seed): \(bytes)")
      #expect(address.flatMap { IPAddress(host: $0.description) } == address, "seed \(seed): \(bytes)")
      #expect(address.flatMap { IPAddress("[\($0)]") } == address, "seed \(seed): \(bytes)")
      #expect(address?.isIPv4 == (bytes.count == 4))
    }
  }

  @Test(
    "inside of IPv6 forms that carry one are found",
    arguments: [
      ("::ffff:10.1.2.3", "10.1.2.3"), ("::10.1.2.3", "10.1.2.3"), ("64:ff9b::10.1.2.3", "10.1.2.3"),
      ("2002:0a01:0203::1", "10.1.2.3"), ("2002:7f00:1::", "127.0.0.1"), ("::ffff:0.0.0.0", "0.0.0.0"),
      ("::", "::"), ("::1", "::1"), ("::2", "::2"), ("10.1.2.3", "10.1.2.3"), ("2001:db8::1", "2001:db8::1"),
      ("::ffff:0:10.1.2.3", "::ffff:0:10.1.2.3"), ("64:ff9b:1::10.1.2.3", "64:ff9b:1::a01:203"),
      ("::fffe:10.1.2.3", "::fffe:a01:203"), ("fe80::1", "fe80::1"), ("2003::1", "2003::1"),
    ])
  func unwrapped(text: String, inner: String) throws {
    let address = try #require(IPAddress(text))
    #expect(address.unwrapped == IPAddress(inner), "\(address.unwrapped)")
    #expect(address.unwrapped.unwrapped == address.unwrapped)
  }

  @Test("inside of IPv6 are found for every IPv4 address")
  func wrapping() throws {
    let seed = SeededRandom.seed
    var random = SeededRandom(seed: seed)
    for _ in 0..<500 {
      let inner = (0..<4).map { _ in UInt8.random(in: 1...255, using: &random) }
      let forms: [[UInt8]] = [
        [UInt8](repeating: 0, count: 10) + [0xff, 0xff] + inner, [UInt8](repeating: 0, count: 12) + inner,
        [0, 0x64, 0xff, 0x9b] + [UInt8](repeating: 0, count: 8) + inner,
        [0x20, 0x02] + inner + (0..<10).map { _ in UInt8.random(in: 0...255, using: &random) },
      ]
      for form in forms {
        #expect(IPAddress(bytes: form)?.unwrapped == IPAddress(bytes: inner), "seed \(seed): \(form)")
      }
    }
  }

  @Test("are taken from socket addresses of their two families, where those are long enough")
  func sockets() {
    var four = sockaddr_in()
    four.sin_family = sa_family_t(AF_INET)
    four.sin_addr.s_addr = UInt32(0x0102_0304).bigEndian
    var six = sockaddr_in6()
    six.sin6_family = sa_family_t(AF_INET6)
    withUnsafeMutableBytes(of: &six.sin6_addr) {
      $0[0] = 0xfe; $0[15] = 9
    }
    let (short, long) = (MemoryLayout<sockaddr_in>.size, MemoryLayout<sockaddr_in6>.size)
    withUnsafeBytes(of: &four) { bytes in
      guard let start = bytes.baseAddress else { return }
      #expect(IPAddress(start, family: AF_INET, length: short) == IPAddress("1.2.3.4"))
      #expect(IPAddress(start, family: AF_INET, length: short - 1) == nil)
      #expect(IPAddress(start, family: AF_UNIX, length: short) == nil)
    }
    withUnsafeBytes(of: &six) { bytes in
      guard let start = bytes.baseAddress else { return }
      #expect(IPAddress(start, family: AF_INET6, length: long) == IPAddress("fe00::9"))
      #expect(IPAddress(start, family: AF_INET6, length: short) == nil)
    }
  }
}
