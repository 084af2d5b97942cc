/// Hints for names and values of other programs' filters.
enum ForeignNames {
  private static let filters = [
    "resize": "limit, fit, fill or scale", "thumbnail": "fill or limit", "thumb": "fill or limit",
    "cover": "fill", "contain": "fit", "inside": "fit", "shrink": "limit", "downscale": "limit",
    "watermark": "overlay", "composite": "overlay", "frame": "border or extend", "stroke": "border",
    "extent": "pad", "letterbox": "pad", "mirror": "flop", "grey": "grayscale", "greyscale": "grayscale",
    "bw": "grayscale", "monochrome": "grayscale", "negate": "invert", "negative": "invert",
    "round": "rounded", "rounded-corners": "rounded", "sharp": "sharpen",
  ]

  /// The hint for a filter's name that other programs use, such as " (use limit, fit, fill or scale)"; nil for other
  /// names, and if a filter here has the name.
  static func hint(forFilter name: String) -> String? {
    guard let replacement = filters[name.lowercased()] else { return hint(forGeometry: name) }
    let first = replacement.prefix { $0 != "," && $0 != " " && $0 != ":" }
    guard FilterTable.entry(named: String(first)) != nil else { return nil }
    return " (use \(replacement))"
  }

  /// The hint for a size without a filter, as in ImageMagick's geometry `800x600>`; nil for other texts.
  private static func hint(forGeometry text: String) -> String? {
    let filters = [">": "limit", "^": "fill", "!": "scale", "<": "fit"]
    let sign = text.last.map(String.init) ?? ""
    let size = filters[sign] == nil ? text : String(text.dropLast())
    let sides = size.split(separator: "x", omittingEmptySubsequences: false)
    guard size.utf8.count < 16, sides.count <= 2, sides.contains(where: { !$0.isEmpty }),
      sides.allSatisfy({ $0.allSatisfy { $0.isASCII && $0.isNumber } })
    else { return nil }
    return " (a size needs a filter: \(filters[sign] ?? "limit"):\(sides.count == 2 ? size : size + "x"))"
  }

  private static let gravities = [
    "top": "north", "bottom": "south", "left": "west", "right": "east", "topleft": "northwest",
    "topright": "northeast", "bottomleft": "southwest", "bottomright": "southeast", "lefttop": "northwest",
    "righttop": "northeast", "leftbottom": "southwest", "rightbottom": "southeast", "middle": "center",
    "face": "attention", "smart": "attention", "auto": "attention",
  ]

  /// The hint for a value as other programs write it; nil for other values.
  static func hint(forValue text: String, of type: ParameterType) -> String? {
    switch type {
    case .size: return hint(forSize: text)
    case .gravity:
      let name = text.lowercased().filter(\.isLetter)
      return gravities[name].map { "; write \($0)" }
    case .number(let range, _) where range == 0...1 && text.hasSuffix("%"):
      guard let share = Number.parse(String(text.dropLast())), (0...100).contains(share) else { return nil }
      return "; write \(Number.text(share / 100)) for \(text)"
    case .duration(let range):
      guard let number = Number.parse(text), number >= 0 else { return nil }
      let whole = Int(exactly: number.rounded()).flatMap { range.contains($0) ? $0 : nil }
      return whole.map { "; a number needs its unit: write \($0)ms" }
    default: return nil
    }
  }

  /// The hint for a size as other programs write it: one number, or ImageMagick's `>` and `^`; nil for other values.
  private static func hint(forSize text: String) -> String? {
    if text.utf8.count < 6, let side = Int(text), side > 0 {
      return "; write \(side)x for a width, x\(side) for a height"
    }
    guard let sign = text.last, text.utf8.count < 16 else { return nil }
    switch sign {
    case ">": return "; to only make images smaller, write limit:\(text.dropLast())"
    case "^": return "; to cover a size, write fill:\(text.dropLast())"
    case "!": return "; to ignore the proportions, write scale:\(text.dropLast())"
    default: return nil
    }
  }
}
