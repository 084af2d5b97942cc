import Synchronization
import Testing

@testable import Vips

@Suite("Images that Swift computes", .timeLimit(.minutes(8)))
struct ComputingTests {
  @Test(
    "are computed from the rectangle around each piece, with the margins that were asked for",
    arguments: [0, 1, 3])
  func margins(margin: Int) throws {
    let (width, height, bands) = (70, 90, 3)
    let image = try Sample.image(width, height, bands: bands)
    let numbers = Sample.numbers(width, height, bands)
    let side = 2 * margin + 1
    let result = try image.computing(margin: margin, format: .float) { input, output in
      for y in 0..<output.height {
        let to = output.row(y).assumingMemoryBound(to: Float.self)
        for place in 0..<output.width * bands {
          var sum: Float = 0
          for row in 0..<side {
            let from = input.row(y + row).assumingMemoryBound(to: UInt8.self)
            for column in 0..<side { sum += Float(from[place + column * bands]) }
          }
          to[place] = sum
        }
      }
    }
    #expect(result.width == width - 2 * margin && result.height == height - 2 * margin)
    #expect(result.format == .float && result.bands == bands)
    let computed = try Sample.numbers(of: result)
    for y in stride(from: 0, to: result.height, by: 7) {
      for x in stride(from: 0, to: result.width, by: 5) {
        for band in 0..<bands {
          var sum = 0.0
          for row in y..<y + side {
            for column in x..<x + side { sum += numbers[(row * width + column) * bands + band] }
          }
          #expect(computed[(y * result.width + x) * bands + band] == sum, "\(x) \(y)")
        }
      }
    }
  }

  @Test("have rectangles that fit: the input is larger by the margins")
  func rectangles() throws {
    let pixels = Atomic(0)
    let misfits = Atomic(0)
    let result = try Sample.image(300, 200, bands: 1).computing(margin: 2) { input, output in
      if input.width != output.width + 4 || input.height != output.height + 4 {
        misfits.add(1, ordering: .relaxed)
      }
      if input.stride < input.width || output.stride < output.width { misfits.add(1, ordering: .relaxed) }
      pixels.add(output.width * output.height, ordering: .relaxed)
      for y in 0..<output.height {
        output.row(y).copyMemory(from: input.row(y + 2) + 2, byteCount: output.width)
      }
    }
    let middle = try Sample.image(300, 200, bands: 1).cropped(x: 2, y: 2, width: 296, height: 196)
    #expect(try result.pixels() == middle.pixels())
    #expect(misfits.load(ordering: .relaxed) == 0)
    #expect(pixels.load(ordering: .relaxed) == 296 * 196, "each pixel is computed once")
  }

  @Test("without room for the margins are refused", arguments: [(4, 9, 2), (9, 4, 2), (1, 1, 1), (6, 6, 3)])
  func noRoom(width: Int, height: Int, margin: Int) throws {
    let image = try Sample.image(width, height)
    #expect(throws: VipsError.self) { try image.computing(margin: margin) { _, _ in } }
  }

  @Test("hold their closure and their source as long as libvips holds them, and no longer")
  func lifetimes() throws {
    final class Token: Sendable {}
    weak var seen: Token?
    do {
      let token = Token()
      seen = token
      func make() throws -> VipsImage {
        try Sample.image(20, 20, bands: 1).computing { input, output in
          withExtendedLifetime(token) {
            for y in 0..<output.height {
              output.row(y).copyMemory(from: input.row(y), byteCount: output.width)
            }
          }
        }
      }
      let turned = try make().applying("rot", ["angle": "d180"])
      #expect(try Sample.numbers(of: turned) == Sample.numbers(20, 20, 1).reversed())
      #expect(seen != nil)
    }
    #expect(seen == nil)
  }

  @Test("keep metadata and interpretation")
  func header() throws {
    let image = try Sample.image(8, 8, interpretation: .sRGB).editingMetadata { $0.set("loop", 2) }
    let result = try image.computing { input, output in
      for y in 0..<output.height { output.row(y).copyMemory(from: input.row(y), byteCount: output.width * 3) }
    }
    #expect(result.interpretation == .sRGB && result.integer("loop") == 2)
  }
}
