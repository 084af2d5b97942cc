import Glibc

/// The C library's functions of real numbers, by whole names.
enum Scalar {
  static func power(_ base: Double, _ exponent: Double) -> Double { pow(base, exponent) }
  static func cosine(_ angle: Double) -> Double { cos(angle) }
}
