import Vips

@testable import ImageRendering

extension FuzzTarget {
  static let signature = FuzzTarget(name: "signature") { bytes in
    let format = ImageFormat(signature: bytes)
    // 4 KiB are enough.
    try require(ImageFormat(signature: Array(bytes.prefix(4096))) == format, "more than 4 KiB were read")
    if format == nil { _ = NonImageContent(head: bytes) }
  }

  /// The messages between a process and its worker.
  static let frames = [
    FuzzTarget(name: "wire-request") { try checkFrame($0, RenderRequest.self) },
    FuzzTarget(name: "wire-response") { try checkFrame($0, RenderResponse.self) },
  ]

  private static func checkFrame<Value: WireValue & Hashable>(_ bytes: [UInt8], _: Value.Type) throws {
    func decoded(_ bytes: [UInt8]) -> Value? {
      var reader = WireReader(bytes)
      let value = accepted { () throws(WireError) in try reader.read(Value.self) }
      return reader.isAtEnd ? value : nil
    }
    guard let value = decoded(bytes) else { return }
    func encoded(_ value: Value) throws -> [UInt8] {
      var writer = WireWriter()
      try writer.write(value)
      return writer.bytes
    }
    let printed = try encoded(value)
    guard let again = decoded(printed) else { throw Finding(description: "can't be read again: \(value)") }
    // Seconds may be no number, which is unequal to itself.
    try require(again == value || encoded(again) == printed, "\(again) instead of \(value)")
  }

  /// Thumbnails: a byte each of width and height, then pixels, which are repeated.
  static let placeholders = FuzzTarget(name: "placeholders") { bytes in
    guard bytes.count > 2 else { return }
    let (width, height) = (1 + Int(bytes[0]) % 100, 1 + Int(bytes[1]) % 100)
    let values = bytes.dropFirst(2)
    let rgba = (0..<width * height * 4).map { values[2 + $0 % values.count] }
    let image = ThumbnailPixels(width: width, height: height, rgba: rgba)
    try require(BlurHash.text(of: image).utf8.count, is: 6 + 2 * 11, "the length of a BlurHash")
    let hash = ThumbHash.bytes(of: image)
    try require((5...25).contains(hash.count), "a ThumbHash of \(hash.count) bytes")
    let color = DominantColor.text(of: image)
    try require(color.utf8.count == 7 && Int(color.dropFirst(), radix: 16) != nil, "'\(color)'")
  }

  /// SVG. What is rewritten is unchanged by another rewriting.
  static let svg = FuzzTarget(name: "svg") { bytes in
    guard let rewritten = accepted({ () throws(RenderError) in try SVGDocument.rewritten(bytes) }) else {
      return
    }
    let again = accepted { () throws(RenderError) in try SVGDocument.rewritten(rewritten) }
    try require(again, is: rewritten, "'\(String(decoding: rewritten, as: UTF8.self))'")
  }

  /// Color profiles, and the chunks of WebP files.
  static let profile = FuzzTarget(name: "profile") { bytes in
    _ = accepted { () throws(RenderError) in try ColorProfile(bytes).check() }
    let shorter = WebPFile.withoutEXIF(bytes)
    try require(shorter.count <= bytes.count, "a longer file")
  }
}
