import Foundation
import TestSupport
import Testing

@testable import ImageCaches

@Suite("Digests", .timeLimit(.minutes(8)))
struct ContentDigestTests {
  /// FIPS 180-4's examples.
  @Test(
    "are SHA-256",
    arguments: [
      ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
      ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
      (
        "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
        "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
      ),
    ])
  func examples(text: String, hex: String) {
    let digest = ContentDigest(hashing: text.utf8)
    #expect(digest.hex == hex && digest.description == hex)
    #expect(ContentDigest(hex: hex) == digest && ContentDigest(hex: hex.uppercased()) == digest)
  }

  @Test("are read back from their text, and ordered as it is")
  func texts() {
    let seed = SeededRandom.seed
    var random = SeededRandom(seed: seed)
    var digests: [ContentDigest] = []
    for _ in 0..<500 {
      // Some begin alike, so that the later words decide.
      let count = Int.random(in: 0...62, using: &random)
      let hex =
        String(repeating: "0", count: count)
        + String((count..<64).map { _ in "0123456789abcdef".randomElement(using: &random) ?? "0" })
      guard let digest = ContentDigest(hex: hex) else {
        Issue.record("seed \(seed): \(hex)")
        return
      }
      #expect(digest.hex == hex, "seed \(seed)")
      digests.append(digest)
    }
    #expect(digests.sorted().map(\.hex) == digests.map(\.hex).sorted(), "seed \(seed)")
    for (left, right) in zip(digests, digests.dropFirst()) {
      #expect((left == right) == (left.hex == right.hex))
      #expect((left < right) == (left.hex < right.hex))
    }
  }

  @Test("differ in every bit that their bytes differ in")
  func bits() {
    let zero = String(repeating: "0", count: 64)
    var all: Set<String> = [zero]
    for place in 0..<64 {
      for digit in ["1", "2", "4", "8"] {
        let hex = String(zero.prefix(place)) + digit + String(zero.dropFirst(place + 1))
        let digest = ContentDigest(hex: hex)
        #expect(digest != ContentDigest(hex: zero) && digest?.hex == hex)
        all.insert(hex)
      }
    }
    #expect(all.count == 257)
  }

  @Test(
    "are nothing but 64 hexadecimal digits",
    arguments: [
      "", "0", String(repeating: "0", count: 63), String(repeating: "0", count: 65),
      String(repeating: "g", count: 64), String(repeating: " ", count: 64),
      "0x" + String(repeating: "0", count: 62),
      String(repeating: "é", count: 32), String(repeating: "/", count: 64), String(repeating: ":", count: 64),
      String(repeating: "@", count: 64), String(repeating: "`", count: 64),
    ])
  func refused(text: String) {
    #expect(ContentDigest(hex: text) == nil)
    #expect(throws: DecodingError.self) {
      try JSONDecoder().decode([ContentDigest].self, from: JSONEncoder().encode([text]))
    }
  }

  @Test("are coded as their text")
  func coded() throws {
    let digests = (0..<10).map { ContentDigest(hashing: [UInt8($0)]) }
    let data = try JSONEncoder().encode(digests)
    #expect(try JSONDecoder().decode([String].self, from: data) == digests.map(\.hex))
    #expect(try JSONDecoder().decode([ContentDigest].self, from: data) == digests)
  }
}

@Suite("Keys of fields", .timeLimit(.minutes(8)))
struct KeyBuilderTests {
  /// A field of a list: given, given as present or absent.
  private enum Field: Hashable {
    case plain(String)
    case optional(String?)
  }

  private func key(_ kind: String, _ fields: [Field]) -> ContentDigest {
    var key = KeyBuilder(kind)
    for field in fields {
      switch field {
      case .plain(let text): key.append(text)
      case .optional(let text): key.append(optional: text)
      }
    }
    return key.digest
  }

  @Test("no two lists of texts have one key")
  func lists() {
    // Texts that would be taken for one another if they were only joined.
    let texts = ["", "a", "aa", "a\0", "\0", "1", "1:a", "\u{1}\0\0\0\0\0\0\0a"]
    var lists: [[String]] = [[]]
    for count in 1...4 {
      for list in lists where list.count == count - 1 { lists += texts.map { list + [$0] } }
    }
    var seen: [ContentDigest: [String]] = [:]
    for list in lists {
      for kind in list.isEmpty ? ["k", "", "ka"] : ["k"] {
        let other = seen.updateValue([kind] + list, forKey: key(kind, list.map { .plain($0) }))
        #expect(other == nil, "\(other ?? []) and \([kind] + list)")
      }
    }
    #expect(lists.count == 1 + 8 + 64 + 512 + 4096)
  }

  @Test("an absent field is none of those that are present, the empty one included")
  func absent() {
    var seen: [ContentDigest: [Field]] = [:]
    let fields: [Field] = [.optional(nil), .optional(""), .optional("-"), .optional("+"), .optional("a")]
    for first in fields {
      for second in fields {
        for list in [[first], [first, second], [first, second, .optional(nil)]] {
          let known = seen.updateValue(list, forKey: key("k", list))
          #expect(known == nil || known == list)
        }
      }
    }
    #expect(seen.count == 5 + 25 + 25)
  }

  @Test("a key is that of its fields alone, whenever it is asked for")
  func values() {
    var first = KeyBuilder("k")
    first.append("a")
    let copy = first
    let digest = first.digest
    #expect(first.digest == digest && copy.digest == digest)
    first.append("b")
    #expect(first.digest != digest && copy.digest == digest)
    #expect(first.digest == key("k", [.plain("a"), .plain("b")]))
    // The same text, put together in another way.
    #expect(key("k", [.plain("e\u{301}")]) != key("k", [.plain("\u{e9}")]))
    #expect(
      key("k", [.plain(String(repeating: "ab", count: 500))])
        == key("k", [.plain((0..<500).map { _ in "ab" }.joined())]))
  }
}
