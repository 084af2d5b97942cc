/// Hints for names and values of other programs' filters.
enum ForeignNames {
  private static let filters = [
    "resize": "limit, fit, fill or scale", "thumbnail": "fill or limit", "thumb": "fill or limit",
    "cover": "fill", "contain": "fit", "inside": "fit", "shrink": "limit", "downscale": "limit",
    "watermark": "overlay", "composite": "overlay", "border": "extend", "frame": "extend",
    "extent": "pad", "letterbox": "pad", "mirror": "flop", "grey": "grayscale", "greyscale": "grayscale",
    "bw": "grayscale", "monochrome": "grayscale", "negate": "invert", "negative": "invert",
    "round": "rounded", "rounded-corners": "rounded", "sharp": "sharpen",
  ]

  /// The hint for a filter's name that other programs use, such as " (use limit, fit, fill or scale)"; nil for other
  /// names, and if a filter here has the name.
  static func hint(forFilter name: String) -> String? {
    guard let replacement = filters[name.lowercased()] else { return nil }
    let first = replacement.prefix { $0 != "," && $0 != " " && $0 != ":" }
    guard FilterTable.entry(named: String(first)) != nil else { return nil }
    return " (use \(replacement))"
  }

  /// The hint for a size as other programs write it: one number, or ImageMagick's `>` and `^`; nil for other values.
  static func hint(forValue text: String, of type: ParameterType) -> String? {
    guard case .size = type else { return nil }
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
