/// An sRGB color with alpha, 8 bits per channel, not premultiplied.
public struct Color: Hashable, Sendable {
  /// The red channel, 0 to 255, with the sRGB curve.
  public var red: UInt8
  /// The green channel, 0 to 255, with the sRGB curve.
  public var green: UInt8
  /// The blue channel, 0 to 255, with the sRGB curve.
  public var blue: UInt8
  /// The opacity, from 0 (transparent) to 255 (opaque).
  public var alpha: UInt8

  /// Creates a color from its channels.
  /// - Parameters:
  ///   - red: The red channel, 0 to 255.
  ///   - green: The green channel, 0 to 255.
  ///   - blue: The blue channel, 0 to 255.
  ///   - alpha: The opacity, from 0 (transparent) to 255 (opaque). Default: 255.
  public init(red: UInt8, green: UInt8, blue: UInt8, alpha: UInt8 = 255) {
    self.red = red
    self.green = green
    self.blue = blue
    self.alpha = alpha
  }

  /// Parses a CSS color name, `transparent`, `#rgb`, `#rgba`, `#rrggbb` or `#rrggbbaa` (CSS Color Module
  /// Level 4).
  ///
  /// Nil for any other text, such as `rgb(0, 0, 0)`.
  /// - Parameter text: The color's text, in any letter case.
  public init?(_ text: String) {
    let lowered = text.lowercased()
    guard lowered.hasPrefix("#") else {
      if lowered == "transparent" {
        self = .transparent
        return
      }
      guard let value = ColorNames.values[lowered] else { return nil }
      self.init(
        red: UInt8(truncatingIfNeeded: value >> 16), green: UInt8(truncatingIfNeeded: value >> 8),
        blue: UInt8(truncatingIfNeeded: value))
      return
    }
    let digits = lowered.utf8.dropFirst().map { UInt8($0 > 0x39 ? $0 &- 0x57 : $0 &- 0x30) }
    guard lowered.utf8.dropFirst().allSatisfy({ (0x30...0x39).contains($0) || (0x61...0x66).contains($0) })
    else { return nil }
    switch digits.count {
    case 3, 4:
      let wide = digits.map { $0 * 17 }
      self.init(red: wide[0], green: wide[1], blue: wide[2], alpha: wide.count == 4 ? wide[3] : 255)
    case 6, 8:
      func byte(_ index: Int) -> UInt8 { digits[index] << 4 | digits[index + 1] }
      self.init(red: byte(0), green: byte(2), blue: byte(4), alpha: digits.count == 8 ? byte(6) : 255)
    default:
      return nil
    }
  }

  /// The color as `#rrggbbaa` in lower case, the form in a chain's identifier.
  public var identifier: String {
    "#"
      + [red, green, blue, alpha].map { byte in
        (byte < 16 ? "0" : "") + String(byte, radix: 16)
      }.joined()
  }

  /// Transparent black, `#00000000`.
  public static let transparent = Color(red: 0, green: 0, blue: 0, alpha: 0)
  /// Opaque white.
  public static let white = Color(red: 255, green: 255, blue: 255)
  /// Opaque black.
  public static let black = Color(red: 0, green: 0, blue: 0)
}

extension Color {
  /// Whether red, green and blue are equal.
  public var isGray: Bool { red == green && green == blue }
}
