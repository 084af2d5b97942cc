import Foundation
import Testing
import Vips

@testable import ImageFilters

/// AlamofireImage's own reference images, where IMAGEMILL_REFERENCE_PICTURES names a directory of them.
///
/// Compared are premultiplied 8-bit numbers, as upstream's tests compare them.
@Suite("AlamofireImage's images", .timeLimit(.minutes(8)), .enabled(if: ReferenceImages.directory != nil))
struct ReferenceTests {
  struct Case: CustomTestStringConvertible, Sendable {
    let file: String
    let source: String
    let chain: String
    var mean = 255.0
    var worst = 255
    var alphaWorst = 255
    var alphaMean = 255.0
    var testDescription: String { "\(file) is \(chain)" }
  }

  static let cases: [Case] = {
    let directory = ReferenceImages.directory ?? ""
    let names: [String]
    do { names = try FileManager.default.contentsOfDirectory(atPath: directory).sorted() } catch { return [] }
    return names.compactMap(ReferenceImages.expectation)
  }()

  @Test("a reference image is matched by the filter of its name", arguments: cases)
  func matches(reference: Case) throws {
    let directory = try #require(ReferenceImages.directory)
    let source = try open("\(directory)/\(reference.source)")
    let expected = try open("\(directory)/\(reference.file)").preparedForFilters()
    let made = try FilterChain(parsing: reference.chain).apply(to: source).addingAlpha()
    try #require(made.width == expected.width && made.height == expected.height)
    let left = try premultiplied(made)
    let right = try premultiplied(expected)
    var total = 0
    var worst = 0
    var alphaTotal = 0
    var alphaWorst = 0
    for index in left.indices {
      let difference = abs(Int(left[index]) - Int(right[index]))
      total += difference
      worst = max(worst, difference)
      if index % 4 == 3 {
        alphaTotal += difference
        alphaWorst = max(alphaWorst, difference)
      }
    }
    let mean = Double(total) / Double(left.count)
    let alphaMean = Double(alphaTotal) / Double(left.count / 4)
    if ProcessInfo.processInfo.environment["IMAGEMILL_PRINT_DIFFERENCES"] != nil {
      FileHandle.standardError.write(
        Data(
          "DIFF \(reference.file) [\(reference.chain)]: mean \(mean) worst \(worst) alpha \(alphaMean) \(alphaWorst)\n"
            .utf8))
    }
    #expect(mean <= reference.mean)
    #expect(worst <= reference.worst)
    #expect(alphaWorst <= reference.alphaWorst)
    #expect(alphaMean <= reference.alphaMean)
  }

  private func open(_ path: String) throws -> VipsImage {
    try Loader(path.hasSuffix(".png") ? .png : .jpeg).open(path, sequential: false)
  }

  private func premultiplied(_ image: VipsImage) throws -> [UInt8] {
    try image.applying("premultiply").linear([1], [0.5]).cast(to: .uchar).pixels()
  }
}

enum ReferenceImages {
  static let directory = ProcessInfo.processInfo.environment["IMAGEMILL_REFERENCE_PICTURES"]

  /// What a reference image's name says of how it was made, at 1x only for sizes in points.
  static func expectation(_ file: String) -> ReferenceTests.Case? {
    guard file.hasSuffix(".png"), let dash = file.firstIndex(of: "-") else { return nil }
    let source = String(file[..<dash]) + (file.hasPrefix("unicorn") ? ".png" : ".jpg")
    // Of an image without alpha, all the alpha there is comes from the padding or the mask.
    let isOpaque = !file.hasPrefix("unicorn")
    var rest = String(file[file.index(after: dash)...].dropLast(4))
    var scale = 1.0
    for factor in 1...3 where rest.hasSuffix("-@\(factor)x") {
      scale = Double(factor)
      rest = String(rest.dropLast(4))
    }
    func size(after prefix: String) -> (size: String, radius: String)? {
      guard rest.hasPrefix(prefix) else { return nil }
      let numbers = rest.dropFirst(prefix.count).split(separator: "x").compactMap { Double($0) }
      guard numbers.count >= 2 else { return nil }
      let scaled = numbers.map { String(Int($0 * scale)) }
      return ("\(scaled[0])x\(scaled[1])", scaled.count > 2 ? scaled[2] : "")
    }
    if let it = size(after: "aspect.scaled.to.fill.size.circle-") {
      return .init(
        file: file, source: source, chain: "AspectScaledToFillSizeCircleFilter:\(it.size)", mean: 8,
        alphaWorst: 24,
        alphaMean: 0.3)
    }
    if let it = size(after: "aspect.scaled.to.fill.size.with.rounded.corners-") {
      return .init(
        file: file, source: source,
        chain: "AspectScaledToFillSizeWithRoundedCornersFilter:\(it.size):\(it.radius)", mean: 8,
        alphaWorst: scale == 1 ? 12 : 30)
    }
    if let it = size(after: "scaled.to.size.circle-") {
      return .init(
        file: file, source: source, chain: "ScaledToSizeCircleFilter:\(it.size)", mean: 8, alphaWorst: 24,
        alphaMean: 0.3)
    }
    if let it = size(after: "scaled.to.size.with.rounded.corners-") {
      return .init(
        file: file, source: source, chain: "ScaledToSizeWithRoundedCornersFilter:\(it.size):\(it.radius)",
        mean: 8,
        alphaWorst: scale == 1 ? 12 : 30)
    }
    if let it = size(after: "aspect.scaled.to.fill-") {
      return .init(
        file: file, source: source, chain: "AspectScaledToFillSizeFilter:\(it.size)", mean: 8,
        alphaWorst: isOpaque ? 0 : 255)
    }
    if let it = size(after: "aspect.scaled.to.fit-") {
      return .init(
        file: file, source: source, chain: "AspectScaledToFitSizeFilter:\(it.size)", mean: 8,
        alphaWorst: isOpaque ? 8 : 255)
    }
    if let it = size(after: "scaled-") {
      return .init(
        file: file, source: source, chain: "ScaledToSizeFilter:\(it.size)", mean: 8,
        alphaWorst: isOpaque ? 0 : 255)
    }
    switch rest {
    case "blurred-8-ios-13": return .init(file: file, source: source, chain: "BlurFilter:8", worst: 4)
    case "circle":
      return .init(
        file: file, source: source, chain: "CircleFilter", worst: 24, alphaWorst: 24, alphaMean: 0.3)
    case "radius-20":
      return .init(file: file, source: source, chain: "RoundedCornersFilter:20", worst: 12, alphaWorst: 12)
    case "sepia.tone": return .init(file: file, source: source, chain: "sepia", worst: 3)
    default: return nil
    }
  }
}
