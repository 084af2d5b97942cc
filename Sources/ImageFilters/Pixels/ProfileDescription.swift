/// Reads the description of an ICC profile (ICC.1:2010, 9.2.41 and 10.13; ICC.2:2001, 6.5.17).
public enum ProfileDescription {
  /// The text of a profile's `desc` tag.
  /// - Parameter profile: The whole ICC profile, such as a file's `icc-profile-data`.
  /// - Returns: nil if the tag is missing, malformed or of another type than `desc` or `mluc`.
  public static func text(of profile: [UInt8]) -> String? {
    func number(_ position: Int) -> Int {
      guard position >= 0, position + 4 <= profile.count else { return 0 }
      return profile[position..<position + 4].reduce(0) { $0 << 8 | Int($1) }
    }
    func signature(_ position: Int) -> String {
      guard position >= 0, position + 4 <= profile.count else { return "" }
      return String(decoding: profile[position..<position + 4], as: UTF8.self)
    }
    for index in 0..<min(number(128), 100) {
      let entry = 132 + 12 * index
      guard signature(entry) == "desc" else { continue }
      let start = number(entry + 4)
      switch signature(start) {
      case "desc":
        let length = number(start + 8)
        guard length > 0, start + 12 + length <= profile.count else { return nil }
        return String(
          decoding: profile[(start + 12)..<(start + 12 + length)].prefix { $0 != 0 }, as: UTF8.self)
      case "mluc":
        let length = number(start + 20)
        let offset = start + number(start + 24)
        guard offset >= 0, length > 0, offset + length <= profile.count else { return nil }
        let units = stride(from: offset, to: offset + length - 1, by: 2)
          .map { UInt16(profile[$0]) << 8 | UInt16(profile[$0 + 1]) }
        return String(decoding: units, as: UTF16.self)
      default: return nil
      }
    }
    return nil
  }

  /// Whether a profile's description is that of a common sRGB profile.
  static func isStandardRGB(_ profile: [UInt8]) -> Bool {
    guard profile.count < 8_000, let text = text(of: profile) else { return false }
    return ["sRGB IEC61966-2.1", "sRGB", "sRGB built-in", "c2", "sRGB2014", "sRGB IEC61966-2-1 black scaled"]
      .contains(text)
  }
}
