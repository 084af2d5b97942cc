/// Limits an ICC profile before lcms reads it (ICC.1:2022, ICC.2:2019).
///
/// lcms evaluates a profile's transform for each of up to 36,000 colors and keeps its tables in memory. A `mpet` tag lists
/// the elements of its transform by position, so that a profile of 500 kB can name the same table ten thousand times: lcms
/// then held 6 GB. Other types of tags have a fixed number of elements.
struct ColorProfile {
  /// The maximum size of a profile, in bytes. Large profiles of printers have a few megabytes.
  static let mostBytes = 32 << 20
  /// The maximum number of elements of a transform. Real ones have fewer than ten.
  static let mostElements = 64
  /// The maximum total size of a transform's elements, in bytes.
  static let mostElementBytes = 4 << 20

  private let bytes: [UInt8]

  /// - Parameter bytes: The whole profile.
  init(_ bytes: [UInt8]) { self.bytes = bytes }

  /// Why an output can't have this profile; nil if it can. Outputs are RGB (ICC.1:2022, 7.2).
  var outputRefusal: String? {
    guard bytes.count > 132, name(at: 36) == "acsp" else { return "isn't an ICC profile" }
    guard name(at: 16) != "RGB " else { return nil }
    let space = (name(at: 16) ?? "").filter { $0.isASCII && ($0.isLetter || $0.isNumber) }
    return "is a profile for \(space.isEmpty ? "other colors" : space)"
  }

  /// - Throws: `RenderError` with code `tooMuchMemory`.
  func check() throws(RenderError) {
    guard bytes.count <= Self.mostBytes else {
      throw Self.refusal("has more than \(Self.mostBytes >> 20) MiB")
    }
    // lcms reads 100 tags at most.
    for index in 0..<min(number(at: 128) ?? 0, 100) {
      guard let tag = number(at: 136 + 12 * index), name(at: tag) == "mpet" else { continue }
      try checkElements(of: tag)
    }
  }

  /// Checks a tag of type `multiProcessElementsType` (ICC.1:2022, 10.18).
  private func checkElements(of tag: Int) throws(RenderError) {
    guard let count = number(at: tag + 12) else { return }
    guard count <= Self.mostElements else {
      throw Self.refusal("has a transform with more than \(Self.mostElements) elements")
    }
    var total = 0
    for index in 0..<count {
      guard let position = number(at: tag + 16 + 8 * index), let size = number(at: tag + 20 + 8 * index)
      else { break }
      total += max(size, curves(at: tag + position))
    }
    guard total <= Self.mostElementBytes else {
      throw Self.refusal("has a transform with tables of more than \(Self.mostElementBytes >> 20) MiB")
    }
  }

  /// The total size of a `cvst` element's curves, which may be the same bytes (ICC.1:2022, 10.18.2); 0 for others.
  private func curves(at element: Int) -> Int {
    guard name(at: element) == "cvst", let channels = number(at: element + 8).map({ $0 >> 16 }) else {
      return 0
    }
    return (0..<min(channels, 1000)).reduce(0) { $0 + (number(at: element + 16 + 8 * $1) ?? 0) }
  }

  private static func refusal(_ what: String) -> RenderError {
    RenderError(code: .tooMuchMemory, stage: .decode, message: "the image's color profile \(what)")
  }

  /// A big-endian integer of four bytes; nil past the end.
  private func number(at place: Int) -> Int? {
    guard place >= 0, place + 4 <= bytes.count else { return nil }
    return bytes[place..<place + 4].reduce(0) { $0 << 8 | Int($1) }
  }

  private func name(at place: Int) -> String? {
    guard place >= 0, place + 4 <= bytes.count else { return nil }
    return String(decoding: bytes[place..<place + 4], as: UTF8.self)
  }
}
