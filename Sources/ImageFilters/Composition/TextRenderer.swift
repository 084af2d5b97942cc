import Vips

/// Renders text as an image of one color with alpha (libvips `text`).
struct TextRenderer {
  let pass: FilterPass

  init(_ pass: FilterPass) { self.pass = pass }

  func image() throws -> VipsImage {
    let arguments = pass.arguments
    let width = arguments.has("width") ? try arguments.integer("width") : pass.image.width
    let font = try arguments.text("font")
    var wanted: VipsArguments = [
      "text": .string(Self.escaped(try arguments.text("string"))), "dpi": 72, "width": .integer(width),
      "wrap": "word-char",
    ]
    let size = Number.text(try arguments.number("size"))
    if Self.isFile(font) {
      if let reason = FontFile.refusal(ofFile: font) {
        throw FilterError(.failed, "text: '\(font)' \(reason)")
      }
      let file = PlacedFiles.location(of: font)
      wanted["fontfile"] = .string(file)
      guard let name = FontFile.description(ofFile: file) else {
        throw FilterError(.failed, "text: '\(font)' isn't a readable font file")
      }
      wanted["font"] = .string("\(name) \(size)")
    } else {
      wanted["font"] = .string("\(font) \(size)")
    }
    wanted["align"] = .nick(Self.alignment(try arguments.gravity("gravity")))
    let shape = try VipsOperation("text", wanted).image()
    let color = try arguments.color("colour")
    let alpha = try shape.linear([Double(color.alpha) / 255], [0.5]).cast(to: .uchar)
    let plain = try VipsImage.plain(
      [Double(color.red), Double(color.green), Double(color.blue)], width: shape.width,
      height: shape.height)
    return try plain.joiningBands([alpha])
  }

  /// Whether a `font` argument is the path of a font file.
  static func isFile(_ font: String) -> Bool {
    let name = font.lowercased()
    return [".ttf", ".otf", ".ttc", ".woff", ".woff2", ".pfb"].contains { name.hasSuffix($0) }
  }

  /// Escapes the characters that Pango reads as markup.
  private static func escaped(_ text: String) -> String {
    var result = ""
    for character in text.unicodeScalars {
      switch character {
      case "&": result += "&amp;"
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      default: result.unicodeScalars.append(character)
      }
    }
    return result
  }

  private static func alignment(_ gravity: Gravity) -> String {
    guard case .place(let place) = gravity else { return "centre" }
    return place.fractions.x == 0 ? "low" : place.fractions.x == 1 ? "high" : "centre"
  }
}
