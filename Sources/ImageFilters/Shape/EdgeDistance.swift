/// The distance of an image's pixels from the edge of what it shows, for lines along the edge.
///
/// The edge is that of the image and that of its transparent parts. Distances are Euclidean, from the pixel's center. A
/// pixel at the edge that is less opaque than its neighbors is partly covered, and says where in it the edge lies. Time is linear in the number of pixels
/// (Felzenszwalb and Huttenlocher, "Distance Transforms of Sampled Functions").
struct EdgeDistance {
  private let width: Int
  private let height: Int
  /// The alpha of each pixel, row by row; 255 is opaque.
  private let alpha: [UInt8]
  /// For each pixel the row of the nearest edge in its column; -1 and the height are the image's edges.
  private var nearestRows: [Int32]

  /// - Parameters:
  ///   - alpha: The alpha of each pixel, row by row; 255 is opaque.
  ///   - width: The width in pixels.
  init(alpha: [UInt8], width: Int) {
    (self.alpha, self.width) = (alpha, width)
    height = alpha.count / max(1, width)
    nearestRows = [Int32](repeating: -1, count: alpha.count)
    for x in 0..<width { measureColumn(x) }
  }

  /// Whether the edge passes through the pixel, or the pixel is outside.
  private func isEdge(_ x: Int, _ y: Int) -> Bool {
    let index = y * width + x
    switch alpha[index] {
    case 0: return true
    case 255: return false
    default:
      let touchesOutside =
        x == 0 || y == 0 || x == width - 1 || y == height - 1 || alpha[index - 1] == 0
        || alpha[index + 1] == 0 || alpha[index - width] == 0 || alpha[index + width] == 0
      return touchesOutside && coverage(x, y) < 1
    }
  }

  /// How much of a pixel is inside, 0 to 1. An image may be translucent as a whole, so this is relative to the most
  /// opaque neighbor.
  private func coverage(_ x: Int, _ y: Int) -> Double {
    let own = alpha[y * width + x]
    guard own > 0 else { return 0 }
    var most = own
    for row in max(0, y - 1)...min(height - 1, y + 1) {
      for column in max(0, x - 1)...min(width - 1, x + 1) { most = max(most, alpha[row * width + column]) }
    }
    return Double(own) / Double(most)
  }

  private mutating func measureColumn(_ x: Int) {
    var last = -1
    for y in 0..<height {
      if isEdge(x, y) { last = y }
      nearestRows[y * width + x] = Int32(last)
    }
    var next = height
    for y in stride(from: height - 1, through: 0, by: -1) {
      let index = y * width + x
      if Int(nearestRows[index]) == y { next = y }
      if next - y < y - Int(nearestRows[index]) { nearestRows[index] = Int32(next) }
    }
  }

  /// The distances of one row's pixels, in pixels. Outside they are negative or 0.
  func row(_ y: Int) -> [Double] {
    // Columns -1 and `width` are the image's edges: their nearest edge is in the same row.
    let count = width + 2
    func square(_ column: Int) -> Double {
      guard column > 0, column <= width else { return 0 }
      let offset = Double(Int(nearestRows[y * width + column - 1]) - y)
      return offset * offset
    }
    // The lower envelope of the parabolas above each column: whose, and where each begins.
    var owners = [0]
    var starts = [-Double.infinity]
    for column in 1..<count {
      let own = square(column) + Double(column * column)
      while let owner = owners.last, let start = starts.last {
        let other = square(owner) + Double(owner * owner)
        let meeting = (own - other) / Double(2 * (column - owner))
        if meeting > start {
          owners.append(column)
          starts.append(meeting)
          break
        }
        owners.removeLast()
        starts.removeLast()
      }
    }
    var current = 0
    return (1...width).map { column in
      while current + 1 < starts.count, starts[current + 1] <= Double(column) { current += 1 }
      let owner = owners[current]
      let across = Double(column - owner)
      let distance = (across * across + square(owner)).squareRoot()
      return distance + coverage(ofEdge: owner - 1, in: y) - 0.5
    }
  }

  /// How much of the edge's pixel that is nearest in a column is inside, 0 to 1.
  private func coverage(ofEdge x: Int, in y: Int) -> Double {
    guard x >= 0, x < width else { return 0 }
    let row = Int(nearestRows[y * width + x])
    return row >= 0 && row < height ? coverage(x, row) : 0
  }
}
