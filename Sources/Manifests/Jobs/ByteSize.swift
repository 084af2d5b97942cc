/// Parses sizes, of manifests and of the command line.
package enum ByteSize {
  private static let units: [(String, Int)] = [
    ("KiB", 1 << 10), ("MiB", 1 << 20), ("GiB", 1 << 30), ("kB", 1000), ("MB", 1_000_000),
    ("GB", 1_000_000_000), ("B", 1), ("k", 1000), ("M", 1_000_000), ("G", 1_000_000_000),
  ]

  /// No size is as large, so that the sum of a few doesn't overflow.
  private static let most = 1_000_000_000_000_000_000

  /// The size in bytes: a whole number, or a number with k, M, G, kB, MB, GB, KiB, MiB or GiB.
  /// - Parameter least: The smallest valid size.
  /// - Returns: nil if `text` is neither, or less than `least`.
  package static func bytes(_ text: String, least: Int = 1) -> Int? {
    if let count = Int(text) { return count >= least && count < most ? count : nil }
    guard let (unit, factor) = units.first(where: { text.hasSuffix($0.0) }),
      let number = Double(text.dropLast(unit.count)), number.isFinite
    else { return nil }
    let bytes = (number * Double(factor)).rounded()
    return bytes >= Double(least) && bytes < Double(most) ? Int(bytes) : nil
  }
}
