import Glibc
import Synchronization
import Testing

@testable import ImageFilters
@testable import Vips

/// How often each filter computes a pixel, counted where its result is read.
@Suite("Every pixel is computed once", .timeLimit(.minutes(8)))
struct PixelEvaluationTests {
  /// Counts the pixels that one step of a chain computes.
  final class Counter: Sendable {
    private let pixels = Atomic(0)
    private let area = Atomic(0)
    private let pieces = Atomic(0)

    /// Sits on the result of a step.
    func watching(_ watched: Int) -> @Sendable (Int, VipsImage) throws -> VipsImage {
      { [self] step, image in
        guard step == watched else { return image }
        area.store(image.width * image.height, ordering: .relaxed)
        let bytes = image.bands * image.format.bytes
        return try image.computing { input, output in
          for row in 0..<output.height { memcpy(output.row(row), input.row(row), output.width * bytes) }
          self.pixels.add(output.width * output.height, ordering: .relaxed)
          self.pieces.add(1, ordering: .relaxed)
        }
      }
    }

    /// How many pieces were asked for.
    var requests: Int { pieces.load(ordering: .relaxed) }

    /// Pixels computed for each pixel that there is.
    var ratio: Double {
      Double(pixels.load(ordering: .relaxed)) / Double(max(1, area.load(ordering: .relaxed)))
    }
  }

  /// One chain for each filter, of sizes for an image of 200x150.
  static let filters: [String] = FilterTable.all.filter { $0.expansion == nil && $0.name != "transition" }.map
  {
    switch $0.name {
    case "fit": "fit:90x"
    case "limit": "limit:90x"
    case "scale": "scale:71x53"
    case "fill": "fill:60x50:attention"
    case "crop": "crop:80%"
    case "rotate": "rotate:33"
    default: $0.example
    }
  }.map { $0 == "crop:80%" ? "crop:96x72:entropy" : $0 }

  static func context(_ counter: Counter? = nil, step: Int = 0) -> FilterContext {
    var context = FilterPropertyTests.context
    context.probe = counter?.watching(step)
    return context
  }

  private func movesPixels(_ chain: String) throws -> Bool {
    let step = try #require(FilterChain(parsing: chain).steps.first)
    guard case .frame(let traits, _)? = FilterTable.definition(named: step.name)?.behavior else {
      return false
    }
    return traits.movesPixels
  }

  @Test("by any filter, whatever filter comes next", arguments: filters)
  func pairs(first: String) throws {
    let image = try TestImage.gradient(120, 90, alpha: false).materialized()
    let before = try FilterChain(parsing: first).apply(to: image, context: Self.context()).materialized()
    for second in Self.filters {
      let counter = Counter()
      let chain = try FilterChain(parsing: "\(first),\(second)")
      let apart: VipsImage
      do {
        apart = try FilterChain(parsing: second).apply(to: before, context: Self.context())
      } catch {
        // The first result may be too small for the second filter, in one go as well.
        #expect(throws: FilterError.self) { try chain.apply(to: image, context: Self.context()).pixels() }
        continue
      }
      let together = try chain.apply(to: image, context: Self.context(counter))
      #expect(try together.pixels() == apart.pixels(), "\(chain.identifier)")
      guard try !movesPixels(first) else { continue }
      #expect(counter.ratio <= 1.1, "\(first),\(second): \(counter.ratio)")
    }
  }

  @Test("in pieces of many lines, by whatever filter comes next", arguments: filters)
  func pieces(last: String) throws {
    let image = try TestImage.gradient(200, 512, alpha: false).materialized()
    let counter = Counter()
    let chain = try FilterChain(parsing: "sepia,\(last)")
    _ = try chain.apply(to: image, context: Self.context(counter)).pixels()
    // libvips asks for 16 lines at a time by itself, and for squares of 128.
    #expect(counter.requests <= 40, "\(chain.identifier): \(counter.requests)")
  }

  @Test("by a costly filter, through one that only moves its pixels", arguments: filters)
  func moved(last: String) throws {
    let image = try TestImage.gradient(200, 150, alpha: true).materialized()
    for middle in ["crop:180x140+10+10", "flop", "flip", "extend:9:mode=mirror", "crop:170x130:attention"] {
      let counter = Counter()
      let chain = try FilterChain(parsing: "sepia,\(middle),\(last)")
      _ = try chain.apply(to: image, context: Self.context(counter)).pixels()
      #expect(counter.ratio <= 1.1, "\(chain.identifier): \(counter.ratio)")
    }
  }

  @Test(
    "for each frame of an animation", arguments: filters.filter { !["crop", "trim"].contains($0.prefix(4)) })
  func frames(last: String) throws {
    let pages = try (0..<3).map { _ in try TestImage.gradient(170, 140) }
    let tall = try VipsImage.stacked(pages).editingMetadata { $0.set("page-height", 140) }.materialized()
    let counter = Counter()
    let chain = try FilterChain(parsing: "blur:3,\(last)")
    _ = try chain.apply(to: tall, context: Self.context(counter)).pixels()
    #expect(counter.ratio <= 1.1, "\(chain.identifier): \(counter.ratio)")
  }

  @Test("in a file where memory has no room, with the same result and nothing left behind")
  func files() throws {
    var template = Array("/tmp/imagemill-storage-XXXXXX".utf8CString)
    let directory = String(cString: try #require(mkdtemp(&template)))
    defer { rmdir(directory) }
    let image = try TestImage.gradient(200, 150, alpha: true)
    let chain = try FilterChain(parsing: "blur:6,rotate:20,sepia,fit:100x,unsharp")
    var context = Self.context()
    let inMemory = try chain.apply(to: image, context: context).pixels()
    context.storage = PixelStorage(memory: 0, directory: directory)
    let inFiles = try chain.apply(to: image, context: context)
    #expect(try inFiles.pixels() == inMemory)
    // A directory that still has a file isn't removed.
    #expect(rmdir(directory) == 0)
    #expect(throws: FilterError.self) { try chain.apply(to: image, context: context).pixels() }
  }
}
