import TestSupport
import Testing

@testable import ImageFilters

@Suite("Chains", .timeLimit(.minutes(8)))
struct ChainTests {
  @Test(
    "every spelling of a chain has its canonical identifier",
    arguments: [
      ("fill:100x100", "fill:size=100x100:gravity=centre:snap=true:kernel=lanczos3:linear=false"),
      (
        "FILL:size=100x100:gravity=center",
        "fill:size=100x100:gravity=centre:snap=true:kernel=lanczos3:linear=false"
      ),
      (
        "fill:width=100:height=100", "fill:size=100x100:gravity=centre:snap=true:kernel=lanczos3:linear=false"
      ),
      ("flip", "flip"), ("", ""), ("  ", ""), ("circle , flip", "circle,flip"), ("CircleFilter", "circle"),
      ("blur:0.50", "blur:radius=0.5:edge=clamp:linear=false"),
      ("blur:5e-1", "blur:radius=0.5:edge=clamp:linear=false"),
      ("rotate:-90", "rotate:angle=270:background=#00000000"),
      ("flatten:white", "flatten:background=#ffffffff"), ("flatten:#FFF", "flatten:background=#ffffffff"),
      ("ci:cisepiatone", "ci:CISepiaTone:inputIntensity=1"),
      ("CISepiaTone", "ci:CISepiaTone:inputIntensity=1"),
      ("crop:5x6+0-3", "crop:area=5x6+0-3:gravity=centre:clip=false"),
      ("brightness:-0", "brightness:amount=0"),
      ("mask:a%2Cb%3A%3d%25", "mask:source=a%2Cb%3A%3D%25"),
      ("scale:50%", "scale:size=50%:kernel=lanczos3:linear=false"),
    ])
  func identifiers(text: String, identifier: String) throws {
    #expect(try FilterChain(parsing: text).identifier == identifier)
  }

  @Test(
    "AlamofireImage's names stand for the filters of its column",
    arguments: [
      ("ScaledToSizeFilter:50x60", "scale:50x60"),
      ("AspectScaledToFitSizeFilter:50x60", "pad:50x60:snap=false"),
      ("AspectScaledToFillSizeFilter:50x60", "fill:50x60:snap=false"),
      ("RoundedCornersFilter:12", "rounded:12:style=continuous"),
      ("BlurFilter:8", "blur:8:edge=extend:linear=true"),
      ("fill-circle:50x50", "fill:50x50,circle"),
      ("AspectScaledToFillSizeCircleFilter:50x50", "fill:50x50,circle"),
      ("fill-rounded:50x50:9", "fill:50x50,rounded:9"), ("scale-circle:50x50", "scale:50x50,circle"),
      ("AspectScaledToFillSizeWithRoundedCornersFilter:50x50:9", "fill:50x50,rounded:9"),
      ("ScaledToSizeCircleFilter:50x50", "scale:50x50,circle"),
      ("scale-rounded:50x50:9", "scale:50x50,rounded:9"),
      ("ScaledToSizeWithRoundedCornersFilter:50x50:9", "scale:50x50,rounded:9"),
    ])
  func aliases(alias: String, chain: String) throws {
    #expect(try FilterChain(parsing: alias).identifier == FilterChain(parsing: chain).identifier)
  }

  @Test("a chain's text and its filter are one through 100,000 random chains")
  func roundTrip() throws {
    let seed = SeededRandom.seed
    var random = RandomChains(seed: seed)
    var seen: [String: FilterChain] = [:]
    for _ in 0..<100_000 {
      let text = random.chain()
      let chain = try FilterChain(parsing: text)
      let again = try FilterChain(parsing: chain.identifier)
      guard again == chain, again.identifier == chain.identifier else {
        Issue.record("seed \(seed): \(text) -> \(chain.identifier) -> \(again.identifier)")
        return
      }
      if let other = seen.updateValue(chain, forKey: chain.identifier), other != chain {
        Issue.record("seed \(seed): two chains are \(chain.identifier)")
        return
      }
    }
  }

  @Test(
    "a mistake is named with its place and what to write instead",
    arguments: [
      ("crcle", FilterError.Code.unknownFilter, 0, "did you mean 'circle'"),
      ("flip,crcle", .unknownFilter, 5, "crcle"), ("fill", .badArgument, 0, "needs 'size'"),
      ("fill:100", .badArgument, 5, "WxH"), ("fill:0x5", .badArgument, 5, "1…65535"),
      ("fill:100x100:speed=3", .badArgument, 13, "no parameter 'speed'"),
      ("flip:3", .badArgument, 5, "no arguments"),
      ("blur:snap=1", .badArgument, 5, "no parameter"), ("blur:radius=1:radius=2", .badArgument, 14, "twice"),
      ("blur:radius=1:2", .badArgument, 14, "before"), ("blur:-1", .badArgument, 5, "0…1000"),
      ("flip,,flop", .syntax, 5, "missing"), ("blur:a=b=c", .syntax, 5, "%3D"),
      ("ci:CINope", .unknownFilter, 3, "CISepiaTone"),
      ("blur:nan", .badArgument, 5, "nan"), ("blur:0x10", .badArgument, 5, "0x10"),
      ("rotate:400", .badArgument, 7, "360"),
      ("flip,rounded", .badArgument, 5, "one of radius, tl, tr, br, bl"),
      ("scale:9x9:lanzos3", .badArgument, 10, "did you mean 'lanczos3'"),
      ("fill:9x9:nrth", .badArgument, 9, "did you mean 'north'"),
      ("tint:blu", .badArgument, 5, "did you mean 'blue'"),
      ("ci:CISepiaTone:intensity=1", .badArgument, 15, "did you mean 'inputIntensity'"),
      ("ci:CISepia", .unknownFilter, 3, "did you mean 'CISepiaTone'"),
    ])
  func mistakes(text: String, code: FilterError.Code, offset: Int, words: String) {
    let error = #expect(throws: FilterError.self) { try FilterChain(parsing: text) }
    #expect(error?.code == code && error?.offset == offset, "\(String(describing: error))")
    #expect(error?.message.contains(words) == true, "\(error?.message ?? "")")
  }

  @Test("a named chain stands for its filters and takes no arguments")
  func named() throws {
    let avatar = try FilterChain(parsing: "fill:100x100,circle")
    let chain = try FilterChain(parsing: "Avatar,flip", named: ["avatar": avatar])
    #expect(try chain == FilterChain([avatar, FilterChain(parsing: "flip")]))
    #expect(throws: FilterError.self) { try FilterChain(parsing: "avatar:3", named: ["avatar": avatar]) }
  }

  @Test("the mapping form needs no escapes")
  func mapping() throws {
    let chain = try FilterChain(name: "text", arguments: [(nil, "a,b:c=d%"), ("size", "20")])
    #expect(chain.identifier.hasPrefix("text:string=a%2Cb%3Ac%3Dd%25:font=sans:size=20:"))
    #expect(
      try FilterChain(name: "fit", arguments: [("width", "80"), ("height", "60")])
        == FilterChain(parsing: "fit:80x60"))
  }

  @Test("overlays and masks name their sources, each once")
  func references() throws {
    let chain = try FilterChain(parsing: "overlay:logo:south,mask:b%3Ac,overlay:logo,flip")
    #expect(chain.references == ["logo", "b:c"])
  }

  @Test("names and aliases are each one filter's, and every text of the table is there")
  func table() {
    let names = FilterTable.names.map { $0.lowercased() }
    #expect(Set(names).count == names.count)
    for definition in FilterTable.all {
      #expect(!definition.summary.isEmpty && !definition.example.isEmpty)
      #expect(Set(definition.parameters.map { $0.name.lowercased() }).count == definition.parameters.count)
      for parameter in definition.parameters {
        #expect(!parameter.summary.isEmpty)
        if let text = parameter.defaultText {
          #expect(parameter.type.value(of: text) != nil, "\(definition.name) \(parameter.name)")
        }
      }
    }
  }
}
