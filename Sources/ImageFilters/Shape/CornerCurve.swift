/// The outline of a rounded top left corner, in pixels from the corner's vertex.
struct CornerCurve {
  /// The points from the top edge to the left edge.
  let points: [(x: Double, y: Double)]
  /// The distance from the vertex at which the edges start to bend.
  let reach: Double

  /// A quarter circle.
  static func circular(radius: Double) -> CornerCurve {
    let count = max(8, min(2_000, Int(radius * 2)))
    let points = (0...count).map { index in
      let angle = Double.pi / 2 * Double(index) / Double(count)
      return (x: radius - radius * sine(angle), y: radius - radius * cosine(angle))
    }
    return CornerCurve(points: points, reach: radius)
  }

  /// Apple's continuous corner, whose curvature increases gradually from the straight edge.
  /// docs/alamofireimage.md describes the curve, which was measured on UIKit's results.
  ///
  /// It reaches 1.528665 radii. If a side has less room, the curve is blended towards the quarter circle, which it
  /// becomes when the radius is half the side, as in UIKit.
  /// - Parameter room: Half the image's shorter side, in pixels.
  static func continuous(radius: Double, room: Double) -> CornerCurve {
    let full = continuousPoints(steps: max(4, min(400, Int(radius / 2))))
    let widest = 1.528665
    let blend = min(1, max(0, (room / radius - 1) / (widest - 1)))
    let points = full.map { point -> (x: Double, y: Double) in
      // The point on the circle in the same direction from its center. Straight parts map to the arc's ends.
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

  /// The curve for a radius of 1, from the top edge to the left edge.
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

  /// The coverage of each pixel in a square at the vertex, row by row; 255 is fully inside the outline.
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

  /// The outline's x at a height. Along the outline, x decreases as y increases.
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
