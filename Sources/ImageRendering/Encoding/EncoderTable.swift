import ImageFilters

/// An encoder's option: its name, its values and its default.
public struct EncoderOption: Sendable, Hashable {
  /// The type and range of an option's values.
  public enum Kind: Sendable, Hashable {
    /// An integer in a range, inclusive.
    case integer(ClosedRange<Int>, default: Int)
    /// A floating-point number in a range, inclusive.
    case number(ClosedRange<Double>, default: Double)
    /// A flag, written `true` or `false`.
    case flag(default: Bool)
    /// One of some words; the first is the default.
    case choice([String])
  }

  /// The name, as in `--encode NAME=VALUE`.
  public let name: String
  /// The type and range of its values.
  public let kind: Kind
  /// What the option does, in one line of help.
  public let help: String

  /// The value of the option if it isn't set.
  public var defaultValue: OptionValue {
    switch kind {
    case .integer(_, let value): .integer(value)
    case .number(_, let value): .number(value)
    case .flag(let value): .flag(value)
    case .choice(let words): .choice(words.first ?? "")
    }
  }

  /// The accepted values for messages, such as `1…100` or `none|lzw|deflate`.
  public var valueText: String {
    switch kind {
    case .integer(let range, _): "\(range.lowerBound)…\(range.upperBound)"
    case .number(let range, _): "\(range.lowerBound)…\(range.upperBound)"
    case .flag: "true|false"
    case .choice(let words): words.joined(separator: "|")
    }
  }
}

/// The value of an encoder option.
public enum OptionValue: Sendable, Hashable, Codable, CustomStringConvertible {
  /// The value of an option of kind ``EncoderOption/Kind/integer(_:default:)``.
  case integer(Int)
  /// The value of an option of kind ``EncoderOption/Kind/number(_:default:)``.
  case number(Double)
  /// The value of an option of kind ``EncoderOption/Kind/flag(default:)``.
  case flag(Bool)
  /// The word of an option of kind ``EncoderOption/Kind/choice(_:)``.
  case choice(String)

  /// The canonical text, which is part of cache keys.
  public var description: String {
    switch self {
    case .integer(let value): "\(value)"
    case .number(let value): Int(exactly: value).map { "\($0)" } ?? "\(value)"
    case .flag(let value): "\(value)"
    case .choice(let value): value
    }
  }
}

/// An output format: its names, capabilities and encoder options.
public struct EncoderDefinition: Sendable, Hashable {
  /// The format that is defined.
  public let format: OutputFormat
  /// File extensions without the dot, in lower case. They are also accepted as names.
  public let pathExtensions: [String]
  /// The media type, such as `image/jpeg`.
  public let mediaType: String
  /// Whether the format supports an alpha channel.
  public let holdsAlpha: Bool
  /// Whether the format supports several frames.
  public let holdsFrames: Bool
  /// The largest width and height, in pixels.
  public var longestSide: Int {
    switch format {
    case .jpeg: 65_500
    case .webp: 16_383
    case .gif: 65_535
    case .avif, .heic: 65_536
    case .png, .tiff, .jxl: Int(Int32.max)
    }
  }
  /// Whether the format supports gray images and libvips writes them.
  var holdsGray: Bool { [.jpeg, .png, .tiff, .jxl].contains(format) }
  /// Whether readers turn an image of the format by an orientation tag that libvips writes.
  var holdsOrientation: Bool { [.jpeg, .png, .webp, .tiff].contains(format) }
  /// Whether the format can hold a color profile.
  var holdsProfile: Bool { format != .gif }
  /// Whether frames are an animation with delays, and not a document's pages.
  public var holdsTiming: Bool { holdsFrames && format != .tiff }
  /// Whether the format supports 16 bits per sample.
  public let holds16Bits: Bool
  /// The encoder's options, in the order of ``Encoding/identifier``.
  public let options: [EncoderOption]

  /// Finds one of the encoder's options, ignoring letter case and British spelling.
  /// - Parameter name: The option's name, such as `progressive`.
  /// - Returns: nil if the encoder has no option of that name.
  public func option(_ name: String) -> EncoderOption? {
    options.first { $0.name == name || Spelling.normalized($0.name) == Spelling.normalized(name) }
  }
}

/// Every output format. The parser, `imagemill formats`, the schema and the manuals are generated from it. The
/// installed libvips may support fewer: see ``FormatSupport/canWrite(_:)``.
public enum EncoderTable {
  /// All definitions, in the order of ``OutputFormat``.
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
          help: "Subsample chroma; auto subsamples below quality 90."),
        flag("optimize", true, "Compute optimal Huffman tables."),
      ]),
    EncoderDefinition(
      format: .png, pathExtensions: ["png"], mediaType: "image/png", holdsAlpha: true, holdsFrames: false,
      holds16Bits: true,
      options: [
        integer("compression", 0...9, 6, "Deflate level."),
        flag("palette", false, "Quantize to a palette."),
        integer(
          "colors", 2...256, 256, "Colors in the palette, rounded up to 2, 4, 16 or 256."
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
          "near-lossless", false, "Adjust pixels slightly to compress better; quality sets how much."),
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
          "colors", 2...256, 256, "Colors in the palette, rounded up to 2, 4, 16 or 256."
        ),
        integer("effort", 1...10, 7, "CPU effort."),
      ]),
    EncoderDefinition(
      format: .tiff, pathExtensions: ["tif", "tiff"], mediaType: "image/tiff", holdsAlpha: true,
      holdsFrames: true, holds16Bits: true,
      options: [
        EncoderOption(
          name: "compression", kind: .choice(["lzw", "none", "deflate", "jpeg", "packbits", "zstd"]),
          help: "Compression method."),
        quality(75),
        flag("tile", false, "Write tiles of 128x128 pixels."),
        flag("pyramid", false, "Write an image pyramid."),
      ]),
    EncoderDefinition(
      format: .jxl, pathExtensions: ["jxl"], mediaType: "image/jxl", holdsAlpha: true, holdsFrames: false,
      holds16Bits: true,
      options: [
        quality(75), flag("lossless", false, "Keep every pixel."), integer("effort", 3...9, 7, "CPU effort."),
      ]),
  ]

  /// The definition of a format: its names, capabilities and encoder options.
  /// - Parameter format: The format.
  /// - Returns: nil only for a format without an entry; every ``OutputFormat`` has one.
  public static func definition(of format: OutputFormat) -> EncoderDefinition? {
    all.first { $0.format == format }
  }

  /// The format with a name or file extension, ignoring case.
  /// - Parameter name: The name or extension without the dot, such as `jpeg` or `jpg`.
  /// - Returns: nil if no output format has it.
  public static func format(named name: String) -> OutputFormat? {
    let name = name.lowercased()
    return all.first { $0.format.rawValue == name || $0.pathExtensions.contains(name) }?.format
  }

  private static let dither = EncoderOption(
    name: "dither", kind: .number(0...1, default: 1), help: "Amount of dithering.")

  /// AVIF doesn't offer 10 bits: libheif 1.15 with libaom aborts the process on them.
  private static func heifOptions(depths: [String]) -> [EncoderOption] {
    [
      quality(50),
      integer("effort", 0...9, 4, "CPU effort."),
      flag("lossless", false, "Encode without loss, except that 8-bit colors may differ by 1 level."),
      EncoderOption(name: "bit-depth", kind: .choice(depths), help: "Bits per sample."),
    ]
  }

  private static func quality(_ value: Int) -> EncoderOption {
    integer("quality", 1...100, value, "Higher values give better and larger images.")
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
