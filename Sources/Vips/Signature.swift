/// The formats that imagemill recognizes by a file's first bytes.
public enum ImageFormat: String, CaseIterable, Sendable, Hashable, Codable {
  /// The formats, by the names that options and reports use.
  case jpeg, png, webp, gif, tiff, heic, avif, bmp, ico, xbm, svg, pdf, jxl, jp2k, ppm, exr, hdr, fits, psd

  /// Detects the format of a file from its content, never from its name or content type. Nil if it isn't
  /// recognized.
  /// - Parameter head: The first 4 KiB, or all of a shorter file.
  public init?(signature head: [UInt8]) {
    guard let format = Signature.format(of: head) else { return nil }
    self = format
  }

  /// The formats whose decoders are trusted with input from any source. The others are read only on request.
  public static let readByDefault: Set<ImageFormat> = [
    .jpeg, .png, .webp, .gif, .tiff, .heic, .avif, .bmp, .ico, .xbm,
  ]
}

/// The likely content of a file that is not an image, worded for an error message.
public enum NonImageContent: String, Sendable, Hashable {
  /// No bytes at all.
  case empty = "the file is empty"
  /// An HTML page, such as an error page or a login form that a server sent with status 200.
  case html = "the file is an HTML page, not an image"
  /// XML that is neither HTML nor SVG.
  case xml = "the file is an XML document, not an image"
  /// Text that begins with `{` or `[`.
  case json = "the file is JSON text, not an image"
  /// Bytes without control characters other than white space, such as a log.
  case text = "the file is plain text, not an image"
  /// A ZIP or gzip file.
  case archive = "the file is an archive, not an image"
  /// A Matroska file, or an ISO base media file (`ftyp`) without AVIF and HEIC brands.
  case video = "the file is a video, not an image"
  /// Anything else, such as a damaged header.
  case unknown = "the file is not in an image format that imagemill knows"

  /// Guesses the content of a file that ``ImageFormat`` doesn't recognize.
  /// - Parameter head: The file's first bytes; 4 KiB are enough.
  public init(head: [UInt8]) {
    let text = Signature.leadingText(of: head)
    if head.isEmpty {
      self = .empty
    } else if text.hasPrefix("<!doctype html") || text.hasPrefix("<html") || text.hasPrefix("<head") {
      self = .html
    } else if text.hasPrefix("<") {
      self = text.contains("<html") || text.contains("<body") ? .html : .xml
    } else if text.hasPrefix("{") || text.hasPrefix("[") {
      self = .json
    } else if head.starts(with: [0x50, 0x4b, 3, 4]) || head.starts(with: [0x1f, 0x8b]) {
      self = .archive
    } else if head.starts(with: [0x1a, 0x45, 0xdf, 0xa3]) || Signature.text(head, at: 4) == "ftyp" {
      self = .video
    } else if head.allSatisfy({ $0 >= 32 && $0 != 127 || (9...13).contains($0) }) {
      self = .text
    } else {
      self = .unknown
    }
  }
}

/// The patterns behind `ImageFormat` and `NonImageContent`.
enum Signature {
  static func format(of head: [UInt8]) -> ImageFormat? {
    func starts(_ bytes: UInt8...) -> Bool { head.starts(with: bytes) }
    if starts(0xff, 0xd8, 0xff) { return .jpeg }
    if starts(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a) { return .png }
    if text(head, at: 0) == "RIFF", text(head, at: 8) == "WEBP" { return .webp }
    if text(head, at: 0) == "GIF8", head.count > 5, head[5] == UInt8(ascii: "a") { return .gif }
    if starts(0x49, 0x49, 0x2a, 0) || starts(0x4d, 0x4d, 0, 0x2a) { return .tiff }
    if starts(0x49, 0x49, 0x2b, 0) || starts(0x4d, 0x4d, 0, 0x2b) { return .tiff }
    if text(head, at: 4) == "ftyp" { return mediaFormat(of: head) }
    if starts(0x42, 0x4d), head.count >= 18, [12, 40, 52, 56, 64, 108, 124].contains(Int(head[14])) {
      return .bmp
    }
    if starts(0, 0, 1, 0) || starts(0, 0, 2, 0), head.count >= 22, head[4] != 0 || head[5] != 0 {
      return .ico
    }
    if starts(0xff, 0x0a) || starts(0, 0, 0, 0x0c, 0x4a, 0x58, 0x4c, 0x20) { return .jxl }
    if starts(0, 0, 0, 0x0c, 0x6a, 0x50, 0x20, 0x20) || starts(0xff, 0x4f, 0xff, 0x51) { return .jp2k }
    if text(head, at: 0) == "%PDF" { return .pdf }
    if starts(0x76, 0x2f, 0x31, 0x01) { return .exr }
    if text(head, at: 0) == "8BPS" { return .psd }
    if text(head, at: 0) == "SIMP", leadingText(of: head).hasPrefix("simple  =") { return .fits }
    if text(head, at: 0) == "#?RA" || text(head, at: 0) == "#?RG" { return .hdr }
    if head.count > 2, head[0] == UInt8(ascii: "P"), (0x31...0x37).contains(head[1]) || head[1] == 0x46,
      [9, 10, 13, 32].contains(head[2])
    {
      return .ppm
    }
    let beginning = leadingText(of: head)
    // Compare bytes: as `Character`s, a letter with a combining mark after it would not match.
    if beginning.utf8.starts(with: "#define".utf8), beginning.utf8.contains("_width ".utf8) { return .xbm }
    if beginning.utf8.starts(with: "<".utf8), !beginning.utf8.starts(with: "<!doctype html".utf8),
      !beginning.utf8.starts(with: "<html".utf8),
      beginning.utf8.contains("<svg".utf8)
    {
      return .svg
    }
    return nil
  }

  /// The format of an ISO base media file, by its brands. AVIF and HEIC share this container.
  private static func mediaFormat(of head: [UInt8]) -> ImageFormat? {
    let size = min(head.count, head.prefix(4).reduce(0) { $0 << 8 | Int($1) })
    var brands: [String] = []
    var position = 8
    while position + 4 <= size {
      if position != 12, let brand = text(head, at: position) { brands.append(brand) }
      position += 4
    }
    if brands.contains(where: { $0 == "avif" || $0 == "avis" }) { return .avif }
    let heic: Set = ["heic", "heix", "hevc", "hevx", "heim", "heis", "hevm", "hevs", "mif1", "msf1"]
    return brands.contains { heic.contains($0) } ? .heic : nil
  }

  /// The four characters at a position; nil beyond the end.
  static func text(_ head: [UInt8], at position: Int) -> String? {
    guard head.count >= position + 4 else { return nil }
    return String(decoding: head[position..<position + 4], as: UTF8.self)
  }

  /// The beginning in lower case, without a leading byte order mark and white space.
  static func leadingText(of head: [UInt8]) -> String {
    let body = head.starts(with: [0xef, 0xbb, 0xbf]) ? head.dropFirst(3) : head[...]
    let start = body.drop { (9...13).contains($0) || $0 == 32 }
    return String(decoding: start, as: UTF8.self).lowercased()
  }
}
