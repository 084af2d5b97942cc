/// The outline of a rounded corner, from a straight edge to the next, in pixels from the corner's point.
struct CornerCurve {
  /// From the top edge round to the left edge.
  let points: [(x: Double, y: Double)]
  /// How far from the corner the edges begin to bend.
  let reach: Double

  /// A quarter of a circle.
  static func circular(radius: Double) -> CornerCurve {
    let count = max(8, min(2_000, Int(radius * 2)))
    let points = (0...count).map { index in
      let angle = Double.pi / 2 * Double(index) / Double(count)
      return (x: radius - radius * sine(angle), y: radius - radius * cosine(angle))
    }
    return CornerCurve(points: points, reach: radius)
  }

  /// Apple's continuous corner: the curvature grows from nothing, so that the edge bends before the radius
  /// begins. docs/alamofireimage.md has the curve as it was measured on UIKit's pictures.
  ///
  /// It reaches 1.528665 radii. Where a side has less room the curve is drawn towards the quarter circle,
  /// which it becomes at half the side, as UIKit's does.
  /// - Parameter room: Half the shorter side.
  static func continuous(radius: Double, room: Double) -> CornerCurve {
    let full = continuousPoints(steps: max(4, min(400, Int(radius / 2))))
    let widest = 1.528665
    let blend = min(1, max(0, (room / radius - 1) / (widest - 1)))
    let points = full.map { point -> (x: Double, y: Double) in
      // The same direction from the circle's middle, on the circle; straight parts end where it begins.
      let (dx, dy) = (1 - point.x, 1 - point.y)
      let arc: (x: Double, y: Double)
      if dx <= 0 {
        arc = (1, 0)
      } else if dy <= 0 {
        arc = (0, 1)
      } else {
        let length = (dx * dx + dy * dy).squareRoot()
        arc = (1 - dx / length, 1 - dy / length)
      }
      return (
        x: radius * (arc.x + (point.x - arc.x) * blend), y: radius * (arc.y + (point.y - arc.y) * blend)
      )
    }
    return CornerCurve(points: points, reach: radius * (1 + (widest - 1) * blend))
  }

  /// In radii, from the top edge to the left edge.
  private static func continuousPoints(steps: Int) -> [(x: Double, y: Double)] {
    typealias Point = (x: Double, y: Double)
    func cubic(_ from: Point, _ first: Point, _ second: Point, _ to: Point) -> [Point] {
      (1...steps).map { index in
        let t = Double(index) / Double(steps)
        let u = 1 - t
        let (a, b, c, d) = (u * u * u, 3 * u * u * t, 3 * u * t * t, t * t * t)
        return (
          x: a * from.x + b * first.x + c * second.x + d * to.x,
          y: a * from.y + b * first.y + c * second.y + d * to.y
        )
      }
    }
    var points: [Point] = [(1.528665, 0)]
    points += cubic((1.528665, 0), (1.088493, 0), (0.868407, 0), (0.669934, 0.065496))
    points.append((0.631494, 0.074911))
    points += cubic((0.631494, 0.074911), (0.372824, 0.169059), (0.169060, 0.372824), (0.074912, 0.631494))
    points.append((0.065496, 0.669934))
    points += cubic((0.065496, 0.669934), (0, 0.868407), (0, 1.088493), (0, 1.528665))
    return points
  }

  /// How much of each pixel of a square from the corner's point on lies inside, 255 for all of it, row by row.
  func coverage(side: Int) -> [UInt8] {
    let samples = 16
    var result = [UInt8](repeating: 255, count: side * side)
    for row in 0..<side {
      var inside = [Double](repeating: 0, count: side)
      for sample in 0..<samples {
        let edge = leftEdge(atHeight: Double(row) + (Double(sample) + 0.5) / Double(samples))
        for column in 0..<side {
          let part = Double(column + 1) - edge
          if part >= 1 {
            for rest in column..<side { inside[rest] += 1 }
            break
          }
          inside[column] += max(0, part)
        }
      }
      for column in 0..<side {
        result[row * side + column] = UInt8((inside[column] / Double(samples) * 255).rounded())
      }
    }
    return result
  }

  /// Where the outline is at a height: x falls as y grows along it.
  private func leftEdge(atHeight height: Double) -> Double {
    guard let last = points.last, height < last.y else { return 0 }
    var low = 0
    var high = points.count - 1
    while high - low > 1 {
      let middle = (low + high) / 2
      if points[middle].y <= height { low = middle } else { high = middle }
    }
    let (from, to) = (points[low], points[high])
    let length = to.y - from.y
    return length > 0 ? from.x + (to.x - from.x) * (height - from.y) / length : from.x
  }
}
