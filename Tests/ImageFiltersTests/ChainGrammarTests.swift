import Foundation
import TestSupport
import Testing

@testable import ImageFilters

@Suite("The grammar of chains", .timeLimit(.minutes(8)))
struct ChainGrammarTests {
  @Test(
    "blanks around names count for nothing, wherever a chain is broken into lines",
    arguments: ["flip,flop", " flip , flop ", "flip\n,flop", "\tflip,\r\n  flop\n", "FLIP,Flop"])
  func blanks(text: String) throws {
    #expect(try FilterChain(parsing: text).identifier == "flip,flop")
  }

  @Test(
    "a mistake of form has its place in bytes",
    arguments: [
      (",", 0), ("flip,", 5), (",flip", 0), ("flip,,flop", 5), (":3", 0), ("flip, :3", 6), ("=", 0),
      ("a=b", 0),
      ("flip,a=b:c", 5), ("blur:=3", 5), ("blur: =3", 5), ("blur:radius=1=2", 5), ("text:é,,flip", 8),
      ("text:\u{1f600}:x=y=z", 10),
    ])
  func syntax(text: String, offset: Int) {
    let error = #expect(throws: FilterError.self) { try FilterChain(parsing: text) }
    #expect(error?.code == .syntax && error?.offset == offset, "\(String(describing: error))")
  }

  @Test("separators are bytes: a mark that combines with one doesn't hide it")
  func combining() throws {
    // An accent on the comma and on the colon.
    let error = #expect(throws: FilterError.self) { try FilterChain(parsing: "flip,\u{301}flop") }
    #expect(error?.code == .unknownFilter && error?.offset == 5)
    let chain = try FilterChain(parsing: "text:\u{301}x")
    #expect(chain.identifier.hasPrefix("text:string=\u{301}x:"))
  }

  @Test("an empty place leaves a parameter to its default")
  func emptyPlaces() throws {
    #expect(try FilterChain(parsing: "fill:9x9::false") == FilterChain(parsing: "fill:9x9:snap=false"))
    #expect(try FilterChain(parsing: "blur:::true") == FilterChain(parsing: "blur:linear=true"))
    #expect(throws: FilterError.self) { try FilterChain(parsing: "fill::north") }
    #expect(throws: FilterError.self) { try FilterChain(parsing: "blur:radius=") }
  }

  @Test("escapes are put back once, and any other percent sign is itself")
  func escapes() {
    for (text, value) in [
      ("", ""), ("%2C", ","), ("%2c", ","), ("%3A%3a", "::"), ("%3D", "="), ("%25", "%"), ("%252C", "%2C"),
      ("50%", "50%"),
      ("%", "%"), ("%2", "%2"), ("%2X", "%2X"), ("%%2C", "%,"), ("%41", "%41"), ("é%2Cé", "é,é"),
      ("%25%32%43", "%%32%43"),
    ] {
      #expect(Escaping.unescaped(text) == value, "\(text)")
    }
    let seed = SeededRandom.seed
    var random = SeededRandom(seed: seed)
    let letters = Array("ab%,:=2C3AD5é日\u{301} ")
    for _ in 0..<2000 {
      let text = String(
        (0..<Int.random(in: 0...12, using: &random)).map { _ in letters.randomElement(using: &random) ?? "a" }
      )
      let escaped = Escaping.escaped(text)
      #expect(Escaping.unescaped(escaped).utf8.elementsEqual(text.utf8), "seed \(seed): \(text)")
      #expect(
        !escaped.utf8.contains { [UInt8(ascii: ","), UInt8(ascii: ":"), UInt8(ascii: "=")].contains($0) })
      #expect(FilterChain.escaped(text) == escaped)
    }
  }

  @Test("the text of a number is the shortest that reads back")
  func numbers() {
    let seed = SeededRandom.seed
    var random = SeededRandom(seed: seed)
    for (number, text) in [
      (0.0, "0"), (-0.0, "0"), (1, "1"), (-7, "-7"), (0.1, "0.1"), (1e14, "100000000000000"), (0.5, "0.5"),
      (1.0 / 3, "0.3333333333333333"),
    ] { #expect(Number.text(number) == text) }
    for _ in 0..<3000 {
      let value = Double(bitPattern: UInt64.random(in: 0 ... .max, using: &random))
      guard value.isFinite else { continue }
      #expect(Number.parse(Number.text(value)) == value, "seed \(seed): \(value)")
    }
  }

  @Test("every random chain is written down as itself, and prefixes, steps and sums agree")
  func parts() throws {
    let seed = SeededRandom.seed
    var random = RandomChains(seed: seed)
    for _ in 0..<400 {
      let text = random.chain(longest: 5)
      let chain = try FilterChain(parsing: text)
      let comment: Comment = "seed \(seed): \(text)"
      #expect(chain.isEmpty == (chain.count == 0), comment)
      #expect((0..<chain.count).map { chain.step($0) }.joined(separator: ",") == chain.identifier, comment)
      for count in 0...chain.count + 1 {
        let prefix = chain.prefix(count)
        #expect(
          prefix.count == min(count, chain.count) && chain.identifier.hasPrefix(prefix.identifier), comment)
        #expect(try FilterChain(parsing: prefix.identifier) == prefix, comment)
      }
      let other = try FilterChain(parsing: random.chain(longest: 3))
      let sum = try FilterChain([chain, other])
      #expect(sum.identifier == [chain.identifier, other.identifier].joined(separator: ","), comment)
      #expect(sum.prefix(chain.count) == chain, comment)
      let coded = try JSONDecoder().decode([FilterChain].self, from: JSONEncoder().encode([chain, sum]))
      #expect(coded == [chain, sum], comment)
      #expect(Set([chain, coded[0]]).count == 1)
    }
  }

  @Test("named chains are found in any letter case, the exact one first, and hide filters of their name")
  func named() throws {
    let (flip, flop) = (try FilterChain(parsing: "flip"), try FilterChain(parsing: "flop"))
    let named = ["Avatar": flip, "avatar": flop, "blur": flop]
    #expect(try FilterChain(parsing: "Avatar", named: named) == flip)
    #expect(try FilterChain(parsing: "avatar", named: named) == flop)
    #expect(try FilterChain(parsing: "blur,blur", named: named).identifier == "flop,flop")
    let slip = #expect(throws: FilterError.self) {
      try FilterChain(parsing: "avatr", named: ["avatar": flop])
    }
    #expect(slip?.code == .unknownFilter && slip?.message.contains("avatar") == true)
  }

  @Test("a name is suggested if it is near, and none is if nothing is")
  func nearest() {
    let known = ["circle", "crop", "scale", "saturation", "inputIntensity"]
    for (slip, name) in [
      ("crcle", "circle"), ("cirlce", "circle"), ("CIRCEL", "circle"), ("circles", "circle"),
      ("corp", "crop"), ("sacle", "scale"),
      ("saturasion", "saturation"),
    ] {
      #expect(NearestName.suggestion(for: slip, among: known).contains("'\(name)'"), "\(slip)")
    }
    #expect(NearestName.of("cirlce", in: known) == "circle" && NearestName.of("zzz", in: known) == nil)
    // What the word is a part of.
    #expect(NearestName.suggestion(for: "intensity", among: known).contains("inputIntensity"))
    for text in ["", "x", "zzzzzzzz", "inp"] {
      #expect(NearestName.suggestion(for: text, among: known).isEmpty, "\(text)")
    }
    #expect(
      NearestName.suggestion(
        for: String(repeating: "a", count: 101), among: [String(repeating: "a", count: 101)]
      ).isEmpty)
    for name in known { #expect(NearestName.of(name, in: known) == name) }
    // Of two that are as near, the first in order.
    #expect(NearestName.of("bat", in: ["cat", "hat", "bar"]) == "bar")
  }

  @Test("references and fonts are named once each, in their order")
  func references() throws {
    let chain = try FilterChain(
      parsing:
        "overlay:a%3Ab,mask:c,overlay:a%3Ab:north,transition:d,text:x,text:y:serif,text:z:sans,text:q:f.ttf")
    #expect(chain.references == ["a:b", "c", "d"])
    #expect(chain.fonts == ["sans", "serif", "f.ttf"])
    let placed = chain.placingFontFiles { "/fonts/" + $0 }
    #expect(placed.fonts == ["sans", "serif", "/fonts/f.ttf"] && placed.references == chain.references)
    #expect(placed != chain && placed.count == chain.count)
    let plain = try FilterChain(parsing: "text:x")
    #expect(plain.placingFontFiles { $0 + "!" } == plain)
    #expect(chain.makesFrames && chain.transitionCount == 1 && !plain.makesFrames)
  }
}
