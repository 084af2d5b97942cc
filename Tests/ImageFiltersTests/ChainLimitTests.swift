import Testing

@testable import ImageFilters

/// Chains whose text is short and which are long.
@Suite("Limits of chains", .timeLimit(.minutes(8)))
struct ChainLimitTests {
  private static func flips(_ count: Int) -> String {
    Array(repeating: "flip", count: count).joined(separator: ",")
  }

  private func code(_ body: () throws -> Void) -> FilterError.Code? {
    do {
      try body()
      return nil
    } catch {
      return (error as? FilterError)?.code
    }
  }

  @Test("a chain has as many filters as are allowed, and no more, however they are written")
  func steps() throws {
    let longest = try FilterChain(parsing: Self.flips(ChainLimits.steps))
    #expect(try FilterChain(parsing: longest.identifier) == longest)
    #expect(code { _ = try FilterChain(parsing: Self.flips(ChainLimits.steps + 1)) } == .tooLong)
    // Two filters in one name.
    let pairs = Array(repeating: "fill-circle:8x8", count: ChainLimits.steps / 2 + 1).joined(separator: ",")
    #expect(code { _ = try FilterChain(parsing: pairs) } == .tooLong)
    #expect(code { _ = try FilterChain([longest, try FilterChain(parsing: "flip")]) } == .tooLong)
    #expect(try FilterChain([longest, FilterChain()]) == longest)
    #expect(code { _ = try FilterChain(parsing: String(repeating: ",", count: 1 << 20)) } == .tooLong)
  }

  @Test("chains that name one another are refused when they would be too long, with the place")
  func doubling() throws {
    var named = ["c0": try FilterChain(parsing: "flip")]
    for number in 1...8 {
      named["c\(number)"] = try FilterChain(parsing: "c\(number - 1),c\(number - 1)", named: named)
    }
    #expect(named["c8"]?.steps.count == 256)
    do {
      _ = try FilterChain(parsing: "c8,c0", named: named)
      Issue.record("not refused")
    } catch {
      #expect(error.code == .tooLong)
      #expect(error.offset == 3)
    }
  }

  @Test(
    "a text is as long as its kind allows",
    arguments: [
      ("text:", ChainLimits.words, ""), ("overlay:", ChainLimits.source, ""),
      ("tint:", ChainLimits.argument, ""),
    ])
  func texts(start: String, limit: Int, rest: String) throws {
    let fits = code { _ = try FilterChain(parsing: start + String(repeating: "x", count: limit)) }
    #expect(fits != .tooLong)
    #expect(
      code { _ = try FilterChain(parsing: start + String(repeating: "x", count: limit + 1)) } == .tooLong)
    #expect(
      code {
        _ = try FilterChain(
          name: String(start.dropLast()), arguments: [(nil, String(repeating: "x", count: limit + 1))])
      }
        == .tooLong)
  }

  @Test("all texts of a chain together are bounded, and what is accepted can be read again")
  func together() throws {
    // Each byte becomes three in the canonical text.
    let words = "text:" + String(repeating: "%2C", count: ChainLimits.words)
    let count = ChainLimits.identifier / (3 * ChainLimits.words)
    let fits = Array(repeating: words, count: count - 1).joined(separator: ",")
    let chain = try FilterChain(parsing: fits)
    #expect(try FilterChain(parsing: chain.identifier) == chain)
    #expect(code { _ = try FilterChain(parsing: fits + "," + words + "," + words) } == .tooLong)
    #expect(
      code { _ = try FilterChain(parsing: String(repeating: " ", count: ChainLimits.text + 1)) } == .tooLong)
  }

  @Test("a name of megabytes is no filter's, and is compared with none")
  func names() {
    #expect(
      code { _ = try FilterChain(parsing: String(repeating: "circl", count: 100_000)) } == .unknownFilter)
  }
}
