/// Parses sizes in manifests.
enum ByteSize {
  private static let units: [(String, Int)] = [
    ("KiB", 1 << 10), ("MiB", 1 << 20), ("GiB", 1 << 30), ("kB", 1000), ("MB", 1_000_000),
    ("GB", 1_000_000_000), ("B", 1), ("k", 1000), ("M", 1_000_000), ("G", 1_000_000_000),
  ]

  /// The size in bytes: a whole number, or a number with k, M, G, kB, MB, GB, KiB, MiB or GiB; nil if `text` is neither, or not
  /// positive.
  static func bytes(_ text: String) -> Int? {
    if let count = Int(text) { return count > 0 ? count : nil }
    guard let (unit, factor) = units.first(where: { text.hasSuffix($0.0) }),
      let number = Double(text.dropLast(unit.count)), number.isFinite
    else { return nil }
    let bytes = (number * Double(factor)).rounded()
    return bytes >= 1 && bytes < 1e18 ? Int(bytes) : nil
  }
}
