/// Which part of an image a crop keeps, or where an image is placed on a larger canvas.
public enum Gravity: Hashable, Sendable {
  /// The center, an edge or a corner.
  case place(Place)
  /// The most salient part (libvips `smartcrop` with `attention`).
  case attention
  /// The part with the highest entropy (libvips `smartcrop` with `entropy`).
  case entropy
  /// The point to center on, as fractions of the width and height, each 0 to 1.
  case focus(x: Double, y: Double)

  /// The center, the four edges and the four corners.
  public enum Place: String, CaseIterable, Sendable, Hashable {
    /// The center, and the edges and corners by compass direction: `north` is the middle of the top edge.
    case centre, north, northeast, east, southeast, south, southwest, west, northwest

    /// The position as fractions: 0 is left or top, 1 is right or bottom.
    var fractions: (x: Double, y: Double) {
      let x =
        switch self {
        case .northwest, .west, .southwest: 0.0
        case .north, .centre, .south: 0.5
        case .northeast, .east, .southeast: 1.0
        }
      let y =
        switch self {
        case .northwest, .north, .northeast: 0.0
        case .west, .centre, .east: 0.5
        case .southwest, .south, .southeast: 1.0
        }
      return (x, y)
    }
  }

  /// Parses a place (also spelled `center`), `attention`, `entropy` or a focal point such as `0.3x0.7`.
  ///
  /// Nil for any other text, or if a fraction isn't 0 to 1.
  /// - Parameter text: The gravity in the chain grammar, in any letter case.
  public init?(_ text: String) {
    switch text.lowercased() {
    case "center", "centre": self = .place(.centre)
    case "attention": self = .attention
    case "entropy": self = .entropy
    case let lowered:
      if let place = Place(rawValue: lowered) {
        self = .place(place)
        return
      }
      let parts = lowered.split(separator: "x", omittingEmptySubsequences: false).map {
        Number.parse(String($0))
      }
      guard parts.count == 2, let x = parts[0], let y = parts[1], (0...1).contains(x), (0...1).contains(y)
      else { return nil }
      self = .focus(x: x, y: y)
    }
  }

  /// The gravity in the chain grammar, such as `north`, `attention` or `0.3x0.7`.
  public var identifier: String {
    switch self {
    case .place(let place): place.rawValue
    case .attention: "attention"
    case .entropy: "entropy"
    case .focus(let x, let y): "\(Number.text(x))x\(Number.text(y))"
    }
  }

  /// Whether the position depends on the image's pixels.
  var looksAtPixels: Bool { self == .attention || self == .entropy }

  /// Every name except focal points.
  static let names = Place.allCases.map(\.rawValue) + ["attention", "entropy"]

  /// The start of a segment of `length` placed on `line`; negative if the segment is longer than the line.
  ///
  /// If it is longer, its focal point is moved as close to the line's center as the ends allow.
  func origin(of length: Double, along line: Double, axis: KeyPath<(x: Double, y: Double), Double>) -> Double
  {
    switch self {
    case .place(let place): return (line - length) * place.fractions[keyPath: axis]
    case .attention, .entropy: return (line - length) / 2
    case .focus(let x, let y):
      let fraction = (x, y)[keyPath: axis]
      if length <= line { return (line - length) * fraction }
      return min(0, max(line - length, line / 2 - length * fraction))
    }
  }
}

extension Gravity {
  /// The center of the image, the default of most filters.
  public static let center = Gravity.place(.centre)
  /// The middle of the top edge.
  public static let north = Gravity.place(.north)
  /// The corner at the top right.
  public static let northeast = Gravity.place(.northeast)
  /// The middle of the right edge.
  public static let east = Gravity.place(.east)
  /// The corner at the bottom right.
  public static let southeast = Gravity.place(.southeast)
  /// The middle of the bottom edge.
  public static let south = Gravity.place(.south)
  /// The corner at the bottom left.
  public static let southwest = Gravity.place(.southwest)
  /// The middle of the left edge.
  public static let west = Gravity.place(.west)
  /// The corner at the top left.
  public static let northwest = Gravity.place(.northwest)
}
