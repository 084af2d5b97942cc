import Foundation
import Glibc
import ImageCaches
import ImageFilters
import TestSupport
import Testing

@testable import ImageRendering

/// What crosses the border between the batch and its workers.
@Suite("Render requests and responses between processes", .timeLimit(.minutes(8)))
struct RenderCodingTests {
  private let seed = SeededRandom.seed

  private func passed<Value: WireValue>(_ value: Value) throws -> Value {
    var ends: [Int32] = [-1, -1]
    try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
    defer { ends.forEach { close($0) } }
    try FramedSocket(descriptor: ends[0]).send(value)
    return try FramedSocket(descriptor: ends[1]).receive(Value.self, timeout: .seconds(60))
  }

  static let chains = [
    "", "flip", "fit:20x20,circle", "overlay:logo:gravity=southeast", "blur:2.5,sharpen",
    "crop:10x10,rotate:90",
    "transition:before:crossdissolve:400ms:30",
  ]

  private func encoding(_ values: inout RandomValues) throws -> Encoding {
    var settings = EncodingSettings()
    settings.format = values.element(["jpeg", "png", "webp", "gif", "tiff", "auto", "same", "webp,jpeg"])
    settings.metadata = values.element([nil, "none", "copyright", "all"])
    settings.profile = values.element([nil, "srgb", "keep"])
    settings.background = values.element([nil, "red", "#123456"])
    settings.frames = values.element([nil, "first", "all", "3"])
    settings.orient = values.element([nil, "keep", "apply"])
    settings.quality = values.optional { "\($0.int(1...100))" }
    settings.maxBytes = values.optional { $0.int(1...1 << 40) }
    return try Encoding(resolving: settings, pathExtension: nil)
  }

  @Test("any request is the same on the other side")
  func requests() throws {
    var values = RandomValues(seed: seed)
    for round in 0..<150 {
      var recipes: [RenderRecipe] = []
      for id in 0..<values.int(0...4) {
        recipes.append(
          RenderRecipe(
            id: id, chain: try FilterChain(parsing: values.element(Self.chains)),
            encoding: try encoding(&values),
            temporaryPath: values.text()))
      }
      var auxiliary: [String: AuxiliarySource] = [:]
      for _ in 0..<values.int(0...2) {
        auxiliary[values.text()] = AuxiliarySource(
          .path(values.text()), digest: values.digest(), name: values.text())
      }
      var request = RenderRequest(
        sourceName: values.text(), source: .path(values.text()), sourceDigest: values.digest(),
        limits: RenderLimits(
          maxPixels: values.number(), maxFrames: values.number(), allowedFormats: [values.text(), "svg"],
          memory: values.number()),
        onCorrupt: values.element(CorruptPolicy.allCases), auxiliary: auxiliary, recipes: recipes,
        wantsPlaceholders: values.chance(2), concurrency: values.number())
      request.memoryEstimate = values.optional { $0.number() }
      request.renditions.policy = values.element(RenditionPolicy.allCases)
      request.renditions.files = [values.text()]
      for _ in 0..<values.int(0...3) { request.renditions.stored[values.digest()] = values.text() }
      let other = try passed(request)
      #expect(other == request, "seed \(seed), round \(round)")
      // Equal chains and encodings must have equal keys over there.
      #expect(other.recipes.map(\.chain.identifier) == recipes.map(\.chain.identifier))
      #expect(other.recipes.map(\.encoding.identifier) == recipes.map(\.encoding.identifier))
    }
  }

  @Test("any response is the same on the other side")
  func responses() throws {
    var values = RandomValues(seed: seed)
    for round in 0..<200 {
      var outputs: [RenderedOutput] = []
      for id in 0..<values.int(0...5) {
        var error = RenderError(
          "corrupt", values.element([.decode, .filter, .encode, .write, .read]), values.text())
        error.isTemporary = values.chance(2)
        error.source = values.optional { $0.text() }
        outputs.append(
          RenderedOutput(id: id, result: values.chance(2) ? .failure(error) : .success(values.file())))
      }
      var response = RenderResponse(outputs: outputs, source: values.optional { $0.facts() })
      response.warnings = (0..<values.int(0...3)).map { _ in values.text() }
      response.counts.decodes = values.number()
      response.counts.filterRuns = values.number()
      response.counts.memoryHighWater = values.number()
      for _ in 0..<values.int(0...2) {
        response.renditions.append(
          KeptRendition(
            key: values.digest(), path: values.text(), digest: values.digest(), bytes: values.number(),
            seconds: values.real()))
      }
      #expect(try passed(response) == response, "seed \(seed), round \(round)")
    }
  }

  @Test("a request that fails as a whole has a failure for each recipe, in order")
  func failing() throws {
    let encoding = try Encoding(resolving: EncodingSettings(), pathExtension: "png")
    for count in [0, 1, 5] {
      let request = RenderRequest(
        source: .path("/x"), sourceDigest: ContentDigest(of: "x"),
        recipes: (0..<count).map {
          RenderRecipe(id: 100 - $0, chain: FilterChain(), encoding: encoding, temporaryPath: "")
        })
      let response = RenderResponse(failing: request, .cancelled)
      #expect(response.outputs.map(\.id) == (0..<count).map { 100 - $0 })
      #expect(response.outputs.allSatisfy { $0.result == .failure(.cancelled) })
      #expect(response.counts == RenderCounts() && response.renditions.isEmpty)
    }
  }

  @Test("every encoding's JSON reads back to the same identifier")
  func encodings() throws {
    var values = RandomValues(seed: seed)
    for _ in 0..<100 {
      let encoding = try encoding(&values)
      let other = try JSONDecoder().decode(Encoding.self, from: JSONEncoder().encode(encoding))
      #expect(other == encoding && other.identifier == encoding.identifier, "seed \(seed)")
    }
  }
}
