/// An encoder's option: its name, its values and its default.
public struct EncoderOption: Sendable, Hashable {
  /// What an option may be.
  public enum Kind: Sendable, Hashable {
    /// A whole number in a range.
    case integer(ClosedRange<Int>, default: Int)
    /// A number in a range.
    case number(ClosedRange<Double>, default: Double)
    /// `true` or `false`.
    case flag(default: Bool)
    /// One of some words; the first is the default.
    case choice([String])
  }

  /// As in `--encode NAME=VALUE`.
  public let name: String
  /// What it may be.
  public let kind: Kind
  /// One line of help.
  public let help: String

  /// Its default.
  public var defaultValue: OptionValue {
    switch kind {
    case .integer(_, let value): .integer(value)
    case .number(_, let value): .number(value)
    case .flag(let value): .flag(value)
    case .choice(let words): .choice(words.first ?? "")
    }
  }

  /// What may be written, as in `1…100` or `none|lzw|deflate`.
  public var valueText: String {
    switch kind {
    case .integer(let range, _): "\(range.lowerBound)…\(range.upperBound)"
    case .number(let range, _): "\(range.lowerBound)…\(range.upperBound)"
    case .flag: "true|false"
    case .choice(let words): words.joined(separator: "|")
    }
  }
}

/// A value of an encoder's option.
public enum OptionValue: Sendable, Hashable, Codable, CustomStringConvertible {
  case integer(Int)
  case number(Double)
  case flag(Bool)
  case choice(String)

  /// Its canonical text.
  public var description: String {
    switch self {
    case .integer(let value): "\(value)"
    case .number(let value): value == value.rounded() ? "\(Int(value))" : "\(value)"
    case .flag(let value): "\(value)"
    case .choice(let value): value
    }
  }
}

/// A format that outputs may be written in: its names, what it can hold, and its encoder's options.
public struct EncoderDefinition: Sendable, Hashable {
  /// The format.
  public let format: OutputFormat
  /// Extensions that mean it, without the dot, in lower case; also accepted as names.
  public let pathExtensions: [String]
  /// Its media type.
  public let mediaType: String
  /// Whether it can hold transparency.
  public let holdsAlpha: Bool
  /// Whether it can hold several frames.
  public let holdsFrames: Bool
  /// The longest side that it can hold, in pixels.
  public var longestSide: Int {
    switch format {
    case .jpeg: 65_500
    case .webp: 16_383
    case .gif: 65_535
    case .avif, .heic: 65_536
    case .png, .tiff, .jxl: Int(Int32.max)
    }
  }
  /// Whether it can hold one number for a pixel whose colors are equal, and libvips writes it so.
  var holdsGray: Bool { [.jpeg, .png, .tiff, .jxl].contains(format) }
  /// Whether its frames are an animation's, each with a time, and not a document's pages.
  public var holdsTiming: Bool { holdsFrames && format != .tiff }
  /// Whether it can hold 16 bits a sample.
  public let holds16Bits: Bool
  /// Its options, in the order of the identifier.
  public let options: [EncoderOption]

  /// The option of that name.
  public func option(_ name: String) -> EncoderOption? { options.first { $0.name == name } }
}

/// Every format that imagemill knows how to write. The parser, `imagemill formats`, the schema and the manuals are
/// made from it; what the installed libvips can write is another matter.
public enum EncoderTable {
  /// In the order of ``OutputFormat``.
  public static let all: [EncoderDefinition] = [
    EncoderDefinition(
      format: .jpeg, pathExtensions: ["jpg", "jpeg", "jpe", "jfif"], mediaType: "image/jpeg",
      holdsAlpha: false,
      holdsFrames: false, holds16Bits: false,
      options: [
        quality(80),
        flag("progressive", false, "Write progressive scans."),
        EncoderOption(
          name: "subsampling", kind: .choice(["auto", "on", "off"]),
          help: "Chroma at half size; auto: below quality 90."),
        flag("optimize", true, "Compute optimal Huffman tables."),
      ]),
    EncoderDefinition(
      format: .png, pathExtensions: ["png"], mediaType: "image/png", holdsAlpha: true, holdsFrames: false,
      holds16Bits: true,
      options: [
        integer("compression", 0...9, 6, "Deflate level."),
        flag("palette", false, "Quantise to a palette."),
        integer(
          "colours", 2...256, 256, "Colours of the palette: 2, 4, 16 or 256, the next one up from the number."
        ),
        dither,
        flag("progressive", false, "Interlace (Adam7)."),
      ]),
    EncoderDefinition(
      format: .webp, pathExtensions: ["webp"], mediaType: "image/webp", holdsAlpha: true, holdsFrames: true,
      holds16Bits: false,
      options: [
        quality(80),
        flag("lossless", false, "Keep every pixel."),
        flag(
          "near-lossless", false, "Adjust pixels a little so that they compress better; quality is how much."),
        integer("effort", 0...6, 4, "CPU effort."),
        integer("alpha-quality", 0...100, 100, "Quality of the alpha channel."),
      ]),
    EncoderDefinition(
      format: .avif, pathExtensions: ["avif"], mediaType: "image/avif", holdsAlpha: true, holdsFrames: false,
      holds16Bits: false, options: heifOptions(depths: ["8", "12"])),
    EncoderDefinition(
      format: .heic, pathExtensions: ["heic", "heif"], mediaType: "image/heic", holdsAlpha: true,
      holdsFrames: false, holds16Bits: false, options: heifOptions(depths: ["8", "10", "12"])),
    EncoderDefinition(
      format: .gif, pathExtensions: ["gif"], mediaType: "image/gif", holdsAlpha: true, holdsFrames: true,
      holds16Bits: false,
      options: [
        dither,
        integer(
          "colours", 2...256, 256, "Colours of the palette: 2, 4, 16 or 256, the next one up from the number."
        ),
        integer("effort", 1...10, 7, "CPU effort."),
      ]),
    EncoderDefinition(
      format: .tiff, pathExtensions: ["tif", "tiff"], mediaType: "image/tiff", holdsAlpha: true,
      holdsFrames: true, holds16Bits: true,
      options: [
        EncoderOption(
          name: "compression", kind: .choice(["lzw", "none", "deflate", "jpeg", "packbits", "zstd"]),
          help: "How the pixels are compressed."),
        quality(75),
        flag("tile", false, "Write tiles of 128 by 128."),
        flag("pyramid", false, "Write smaller versions beside the picture."),
      ]),
    EncoderDefinition(
      format: .jxl, pathExtensions: ["jxl"], mediaType: "image/jxl", holdsAlpha: true, holdsFrames: false,
      holds16Bits: true,
      options: [
        quality(75), flag("lossless", false, "Keep every pixel."), integer("effort", 3...9, 7, "CPU effort."),
      ]),
  ]

  /// The definition of a format.
  public static func definition(of format: OutputFormat) -> EncoderDefinition? {
    all.first { $0.format == format }
  }

  /// The format that a name or an extension means, in any letter case.
  public static func format(named name: String) -> OutputFormat? {
    let name = name.lowercased()
    return all.first { $0.format.rawValue == name || $0.pathExtensions.contains(name) }?.format
  }

  private static let dither = EncoderOption(
    name: "dither", kind: .number(0...1, default: 1), help: "Amount of dithering.")

  /// AVIF lacks 10 bits: libheif 1.15 with libaom stops the process at an assertion on them.
  private static func heifOptions(depths: [String]) -> [EncoderOption] {
    [
      quality(50),
      integer("effort", 0...9, 4, "CPU effort."),
      flag("lossless", false, "Keep every pixel."),
      EncoderOption(name: "bit-depth", kind: .choice(depths), help: "Bits a sample."),
    ]
  }

  private static func quality(_ value: Int) -> EncoderOption {
    integer("quality", 1...100, value, "Higher is better and larger.")
  }

  private static func integer(
    _ name: String, _ range: ClosedRange<Int>, _ value: Int, _ help: String
  ) -> EncoderOption {
    EncoderOption(name: name, kind: .integer(range, default: value), help: help)
  }

  private static func flag(_ name: String, _ value: Bool, _ help: String) -> EncoderOption {
    EncoderOption(name: name, kind: .flag(default: value), help: help)
  }
}
