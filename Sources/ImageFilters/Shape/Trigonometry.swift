import Glibc

/// The C library's sine.
func sine(_ angle: Double) -> Double { sin(angle) }

/// The C library's cosine.
package func cosine(_ angle: Double) -> Double { cos(angle) }

/// The C library's exponential function.
func exponential(_ exponent: Double) -> Double { exp(exponent) }

/// The C library's power.
package func power(_ base: Double, _ exponent: Double) -> Double { pow(base, exponent) }
