/// Which part of an image counts where not all of it can be shown, or where it is put on a larger canvas.
public enum Gravity: Hashable, Sendable {
  /// One of nine places.
  case place(Place)
  /// The most striking part (libvips' `smartcrop` with `attention`).
  case attention
  /// The part with the most in it (libvips' `smartcrop` with `entropy`).
  case entropy
  /// A point of the image, 0 to 1 from the left and from the top, that should come to the middle.
  case focus(x: Double, y: Double)

  /// The nine places.
  public enum Place: String, CaseIterable, Sendable, Hashable {
    case centre, north, northeast, east, southeast, south, southwest, west, northwest

    /// 0, left or top, to 1, right or bottom.
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

  /// The gravity that `text` names, in either letter case: a place (also `center`), `attention`, `entropy` or a
  /// focal point as `0.3x0.7`; nil for anything else.
  public init?(_ text: String) {
    switch text.lowercased() {
    case "center": self = .place(.centre)
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

  /// As the grammar writes it.
  public var identifier: String {
    switch self {
    case .place(let place): place.rawValue
    case .attention: "attention"
    case .entropy: "entropy"
    case .focus(let x, let y): "\(Number.text(x))x\(Number.text(y))"
    }
  }

  /// Whether the pixels decide.
  var looksAtPixels: Bool { self == .attention || self == .entropy }

  /// Every name that is no focal point.
  static let names = Place.allCases.map(\.rawValue) + ["attention", "entropy"]

  /// Where a thing of one length goes along a line of another: its beginning, negative where it is longer.
  ///
  /// A focal point of a thing that is longer comes as near to the middle as the ends allow.
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
