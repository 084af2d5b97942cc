import Foundation
import ImageCaches
import ImageFilters
import TestSupport
import Testing

@testable import ImageRendering

@Suite("Parsers of untrusted bytes", .timeLimit(.minutes(8)))
struct FuzzTests {
  private static let directory = URL(filePath: #filePath).deletingLastPathComponent()

  private static func seeds(of target: FuzzTarget) throws -> [[UInt8]] {
    let folder = directory.appending(path: "Corpus/\(target.name)")
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
    return try names.map { Array(try Data(contentsOf: folder.appending(path: $0))) }
  }

  @Test(
    "keep their properties for the seeds, and for thousands of changes of them", arguments: FuzzTarget.all)
  func seeds(target: FuzzTarget) throws {
    let seeds = try Self.seeds(of: target)
    try #require(!seeds.isEmpty)
    var changes = Changes(seeds)
    let inputs = seeds + (0..<2000).map { _ in changes.next() }
    for input in inputs {
      do {
        try target.check(input)
      } catch {
        Issue.record("\(error)\nin \(Data(input).base64EncodedString())")
        return
      }
    }
  }

  @Test("seeds of frames are frames")
  func frames() throws {
    for (name, values) in try Self.frames {
      let folder = Self.directory.appending(path: "Corpus/\(name)")
      for (index, bytes) in values.enumerated() {
        let file = folder.appending(path: "0\(index + 1)")
        if ProcessInfo.processInfo.environment["IMAGEMILL_WRITE_GENERATED"] != nil {
          try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
          try Data(bytes).write(to: file)
        }
        let seed = Array(try Data(contentsOf: file))
        var reader = WireReader(seed)
        if name == "wire-request" {
          _ = try reader.read(RenderRequest.self)
        } else {
          _ = try reader.read(RenderResponse.self)
        }
        #expect(reader.isAtEnd, "\(name) is another value now; write it with 'make generated'")
      }
    }
  }

  private static var frames: [(String, [[UInt8]])] {
    get throws {
      let digest = ContentDigest(of: "source")
      var request = RenderRequest(
        sourceName: "a.png", source: .path("/a.png"), sourceDigest: digest,
        recipes: [
          RenderRecipe(
            id: 1, chain: try FilterChain(parsing: "fill:10x10,circle"),
            encoding: try Encoding(resolving: EncodingSettings(), pathExtension: "png"), temporaryPath: "/b")
        ])
      request.memoryEstimate = 1000
      request.renditions.stored = [digest: "/c"]
      request.renditions.files = ["/d"]
      request.auxiliary = ["mark.png": AuxiliarySource(.path("/e"), digest: digest, name: "mark.png")]
      var values = RandomValues(seed: 1)
      var response = RenderResponse(
        outputs: [
          RenderedOutput(id: 1, result: .success(values.file())),
          RenderedOutput(
            id: 2, result: .failure(RenderError(code: .corrupt, stage: .decode, message: "damaged"))),
        ], source: values.facts())
      response.warnings = ["a warning"]
      let none = RenderResponse(outputs: [])
      return try [
        ("wire-request", [bytes(request)]), ("wire-response", [bytes(response), bytes(none)]),
      ]
    }
  }

  private static func bytes(_ value: some WireValue) throws -> [UInt8] {
    var writer = WireWriter()
    try writer.write(value)
    return writer.bytes
  }
}

/// Inputs made of seeds by small changes, the same in each run.
private struct Changes {
  private let seeds: [[UInt8]]
  private var random = SeededRandom(seed: 1)

  init(_ seeds: [[UInt8]]) { self.seeds = seeds }

  mutating func next() -> [UInt8] {
    var bytes = seed()
    for _ in 0...Int.random(in: 0...3, using: &random) {
      let start = Int.random(in: 0...bytes.count, using: &random)
      let end = min(bytes.count, start + Int.random(in: 0...8, using: &random))
      switch Int.random(in: 0...4, using: &random) {
      case 0: bytes.removeSubrange(start..<end)
      case 1: bytes.insert(contentsOf: bytes[start..<end], at: start)
      case 2: bytes.replaceSubrange(start..., with: seed().suffix(bytes.count - start))
      case 3: bytes.insert(UInt8.random(in: 0...255, using: &random), at: start)
      default: if start < end { bytes[start] = UInt8.random(in: 0...255, using: &random) }
      }
    }
    return bytes
  }

  private mutating func seed() -> [UInt8] { seeds.randomElement(using: &random) ?? [] }
}
