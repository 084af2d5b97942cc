import ImageFilters
import Testing
import Vips

/// Sizes that are known before pixels are computed.
@Suite("The sizes of a chain's results")
struct ChainSizeTests {
  private func errors(_ text: String, limit: Int) throws -> (known: FilterError?, applied: FilterError?) {
    let chain = try FilterChain(parsing: text)
    let image = try VipsImage.plain([90, 120, 30], width: 80, height: 60)
    var (known, applied): (FilterError?, FilterError?)
    do throws(FilterError) {
      try chain.checkSizes(from: Size(width: 80, height: 60), frames: 1, maximumPixels: limit)
    } catch { known = error }
    do throws(FilterError) {
      _ = try chain.apply(to: image, context: FilterContext(maximumPixels: limit))
    } catch { applied = error }
    return (known, applied)
  }

  @Test(
    "are refused before the chain is applied, in the same words",
    arguments: [
      "scale:200x200", "fit:400x", "pad:100x100", "fill:100x100", "rotate:30", "extend:30",
      "extend:60:0:0:0:mode=copy",
      "circle,scale:200x200", "crop:40x40,fit:1000%", "flip,blur:5,rotate:45", "blur:9:edge=extend",
    ])
  func refused(chain: String) throws {
    let (known, applied) = try errors(chain, limit: 9000)
    #expect(known != nil && known == applied, "\(String(describing: known)), \(String(describing: applied))")
  }

  @Test(
    "don't refuse what can be applied, or fails for another reason",
    arguments: [
      "", "scale:90x90", "pad:90x90", "rotate:90", "circle", "extend:5", "crop:100x100:clip=true",
      "crop:90x90",
      "crop:70x50+30+0", "trim,fit:90x90",
    ])
  func accepted(chain: String) throws {
    let (known, applied) = try errors(chain, limit: 9000)
    #expect(
      known == nil && applied?.reason == nil, "\(String(describing: known)), \(String(describing: applied))")
  }

  @Test(
    "are refused by the longest side in the same words",
    arguments: ["scale:700x1,fit:10000%", "scale:60000x1,extend:0:60000", "scale:700x1,pad:10000%"])
  func sides(chain: String) throws {
    let (known, applied) = try errors(chain, limit: 10_000_000)
    #expect(known != nil && known == applied, "\(String(describing: known)), \(String(describing: applied))")
    #expect(known?.message.contains("65535") == true)
  }

  @Test("aren't known after a filter whose result depends on the image's content")
  func unknown() throws {
    for chain in ["trim,scale:200x200", "crop:90x90:clip=true,scale:200x200"] {
      #expect(try errors(chain, limit: 9000).known == nil, "\(chain)")
    }
  }

  @Test("count for all frames of an animation")
  func frames() throws {
    let chain = try FilterChain(parsing: "scale:50x50")
    try chain.checkSizes(from: Size(width: 80, height: 60), frames: 3, maximumPixels: 9000)
    let error = #expect(throws: FilterError.self) {
      try chain.checkSizes(from: Size(width: 80, height: 60), frames: 4, maximumPixels: 9000)
    }
    #expect(error?.reason == .tooManyPixels(10_000, limit: 9000))
  }
}
