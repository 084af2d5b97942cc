import Glibc

/// A resampling kernel in a lookup table. Computing two sines for each weight would take longer than the sums.
struct ReductionKernel: Sendable {
  /// The kernel's radius in output pixels.
  let reach: Double
  private let samples: [Double]

  /// Samples per pixel. The nearest sample is off by at most 0.0001, too little to matter in fixed-point weights.
  private static let density = 4096.0

  private init(reach: Double, _ value: (Double) -> Double) {
    self.reach = reach
    samples = (0...Int(reach * Self.density) + 1).map { value(Double($0) / Self.density) }
  }

  /// The weight at a distance from the center, in output pixels.
  func weight(at distance: Double) -> Double {
    let distance = abs(distance)
    return distance < reach ? samples[Int((distance * Self.density).rounded())] : 0
  }

  /// A kernel by its libvips nickname (`VipsKernel`); nil for `nearest`, which has no weights.
  static func named(_ name: String) -> ReductionKernel? {
    switch name {
    case "lanczos3": lanczos3
    case "lanczos2": lanczos2
    case "mitchell": mitchell
    case "cubic": cubic
    case "linear": linear
    default: nil
    }
  }

  private static let lanczos3 = lanczos(3)
  private static let lanczos2 = lanczos(2)
  private static let mitchell = spline(b: 1.0 / 3, c: 1.0 / 3)
  /// The Catmull-Rom spline.
  private static let cubic = spline(b: 0, c: 0.5)
  private static let linear = ReductionKernel(reach: 1) { max(0, 1 - $0) }

  private static func lanczos(_ lobes: Double) -> ReductionKernel {
    ReductionKernel(reach: lobes) { distance in
      guard distance < lobes else { return 0 }
      guard distance > 0 else { return 1 }
      let angle = Double.pi * distance
      return sin(angle) / angle * (sin(angle / lobes) / (angle / lobes))
    }
  }

  /// Mitchell, D., Netravali, A.: Reconstruction Filters in Computer Graphics (1988), equation 8.
  private static func spline(b: Double, c: Double) -> ReductionKernel {
    ReductionKernel(reach: 2) { x in
      if x < 1 {
        return ((12 - 9 * b - 6 * c) * x * x * x + (-18 + 12 * b + 6 * c) * x * x + (6 - 2 * b)) / 6
      }
      guard x < 2 else { return 0 }
      let cube = (-b - 6 * c) * x * x * x
      return (cube + (6 * b + 30 * c) * x * x + (-12 * b - 48 * c) * x + (8 * b + 24 * c)) / 6
    }
  }
}
