package import ObjectStorage
import SystemIO

/// An output's path with `{name}` fields (imagemill-manifest(5), TEMPLATES), such as `hero-{width}.{ext}`,
/// `{index:05}-{name}.png` and `{hash:8}.webp`. Doubled braces are literal: `a {{literal}} brace`.
///
/// ``BuiltIn`` lists the built-in fields; any other name is a variable of the job.
public struct OutputTemplate: Sendable, Hashable {
  /// The text of the template, as in the manifest.
  public let text: String
  let parts: [Part]
  /// The error of a literal that isn't a template; nil otherwise.
  let problem: TemplateError?

  /// Literal text, or a field to expand.
  enum Part: Sendable, Hashable {
    case literal(String)
    case field(Field)
  }

  /// A `{name}` or `{name:argument}` in a template.
  public struct Field: Sendable, Hashable {
    /// The name, before the colon.
    public let name: String
    /// A zero-padded width (`{index:05}`) or a number of digits (`{hash:8}`); nil if there is none.
    public let argument: Int?
    /// The offset in the template, in UTF-8 bytes.
    public let offset: Int
  }

  /// A field that needs no variable.
  public enum BuiltIn: String, CaseIterable, Sendable {
    /// The source's file name, host, path and directory; the job's position; the output's format, filters,
    /// size and digest (imagemill-manifest(5), TEMPLATES).
    case name, ext, dir, index, host, path, width, height, format, filter, hash
    /// The first digits of the source's SHA-256.
    case sourceHash = "source-hash"

    /// Whether the value is known only after rendering.
    public var needsRendering: Bool { self == .width || self == .height || self == .hash }
    /// Whether the value is known only after the source has been read.
    public var needsContent: Bool { needsRendering || self == .sourceHash }
  }

  /// The longest template in bytes, which is Linux's `PATH_MAX`.
  static let longest = 4096

  /// Parses a template.
  /// - Parameter text: The template, from 1 to 4,096 bytes of UTF-8.
  /// - Throws: `TemplateError` for an unmatched brace, a field without a name, an invalid argument, or a text
  ///   that is empty or too long.
  public init(parsing text: String) throws(TemplateError) {
    self.text = text
    problem = nil
    guard text.utf8.count <= Self.longest else {
      throw TemplateError(
        "the template has \(text.utf8.count) bytes, over the limit of \(Self.longest); shorten it", offset: 0)
    }
    var scanner = Scanner(text)
    parts = try scanner.scan()
    guard !text.isEmpty else {
      throw TemplateError("an output needs a path, such as '{name}.png'", offset: 0)
    }
  }

  /// Creates the template of an invalid literal: the error is that of its job.
  init(invalid text: String, _ problem: TemplateError) {
    (self.text, self.problem, parts) = (text, problem, [.literal(text)])
  }

  /// The path, if the template has no field.
  var fixedPath: String? {
    guard parts.count == 1, case .literal(let text) = parts[0] else { return nil }
    return text
  }

  /// The fields of the template, in order, with repetitions.
  public var fields: [Field] {
    parts.compactMap { if case .field(let field) = $0 { field } else { nil } }
  }

  /// Finds fields that are neither built in nor variables.
  /// - Parameter variables: The names of the job's variables.
  /// - Returns: The fields in the template's order.
  public func unknownFields(variables: some Collection<String>) -> [Field] {
    fields.filter { BuiltIn(rawValue: $0.name) == nil && !variables.contains($0.name) }
  }

  /// The file extension at the end of the text, without the dot; nil if there is none or it is a field.
  public var literalPathExtension: String? {
    guard case .literal(let tail) = parts.last, let dot = tail.lastIndex(of: ".") else { return nil }
    let name = tail[tail.index(after: dot)...]
    guard !name.isEmpty, !name.contains("/") else { return nil }
    let stem = tail[..<dot]
    // A leading dot makes a hidden file, not an extension.
    if (stem.isEmpty && parts.count == 1) || stem.hasSuffix("/") { return nil }
    return String(name)
  }

  /// Whether the outputs are objects: the template begins with `s3://`. A field's value can't bring that about.
  package var isObject: Bool {
    guard case .literal(let text)? = parts.first else { return false }
    return ObjectAddress.isAddress(text)
  }

  /// The scheme of a text that begins as a URL with an authority; nil for a path.
  private static func scheme(of text: String) -> String? {
    // Without a regular expression, which would take longer than all else that is done with most paths.
    func isLetter(_ byte: UInt8) -> Bool { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20) }
    let name = text.utf8.prefix { byte in
      isLetter(byte) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || "+-.".utf8.contains(byte)
    }
    guard let first = name.first, isLetter(first), text.utf8[name.endIndex...].starts(with: "://".utf8) else {
      return nil
    }
    return String(text[..<name.endIndex])
  }

  /// The bucket of the objects, and the beginning of their keys as far as its directories are literal; nil for files.
  /// - Throws: `ObjectAddress.Mistake` if the bucket isn't literal, or isn't one.
  package func objectPrefix() throws(ObjectAddress.Mistake) -> ObjectAddress? {
    guard isObject, case .literal(let text)? = parts.first else { return nil }
    let address = try ObjectAddress(parsingPrefix: text)
    guard text.utf8.dropFirst("s3://".utf8.count).contains(UInt8(ascii: "/")) else {
      throw ObjectAddress.Mistake(message: "the bucket must be followed by a key: write 's3://BUCKET/KEY'")
    }
    let end = address.key.utf8.lastIndex(of: UInt8(ascii: "/"))
    let directory = end.map { address.key[...$0] } ?? ""
    return ObjectAddress(bucket: address.bucket, key: String(directory))
  }

  /// What is wrong with the address of the objects, or of another URL; nil for files, and for an address without mistakes.
  package var objectMistake: String? {
    if !isObject, case .literal(let text)? = parts.first, let scheme = Self.scheme(of: text) {
      return "an output is a path or an S3 URL, not a URL of the scheme '\(scheme)'"
    }
    do throws(ObjectAddress.Mistake) { _ = try objectPrefix() } catch { return error.message }
    return isObject && text.utf8.last == UInt8(ascii: "/") ? "the key of an image can't end in a slash" : nil
  }

  /// Whether the template's literal text is absolute or leaves the directory by `..`, whatever its fields' values are.
  public var leavesDirectory: Bool {
    if isObject { return true }
    // A field's value is one component and never `..`; `{dir}` may be empty.
    var path = ""
    var isAfterDirectory = false
    for part in parts {
      switch part {
      case .literal(let text):
        path += isAfterDirectory ? Self.withoutSlash(text, after: path) : text[...]
        isAfterDirectory = false
      case .field(let field):
        isAfterDirectory = field.name == BuiltIn.dir.rawValue
        if !isAfterDirectory { path += "_" }
      }
    }
    return Paths.leaves(path)
  }

  /// Whether the path is known only after rendering.
  /// - Parameters:
  ///   - variables: The job's variables, which take precedence over built-in fields.
  ///   - choosesFormat: Whether rendering chooses the format from several. Default: false.
  public func needsRendering(variables: [String: String], choosesFormat: Bool = false) -> Bool {
    fields.contains { field in
      guard variables[field.name] == nil, let builtIn = BuiltIn(rawValue: field.name) else { return false }
      return builtIn.needsRendering || choosesFormat && (builtIn == .ext || builtIn == .format)
    }
  }

  /// Whether the path is known only after the source has been read.
  /// - Parameter variables: The job's variables, which take precedence over built-in fields.
  public func needsContent(variables: [String: String]) -> Bool {
    fields.contains { variables[$0.name] == nil && BuiltIn(rawValue: $0.name)?.needsContent == true }
  }
}

/// A syntax error in a template.
public struct TemplateError: Error, Hashable, Sendable, CustomStringConvertible {
  /// What is wrong and what to write instead, in one sentence.
  public let message: String
  /// The error's offset in the template, in UTF-8 bytes.
  public let offset: Int

  package init(_ message: String, offset: Int) {
    self.message = message
    self.offset = offset
  }

  /// The message, without the offset.
  public var description: String { message }
}

/// Parses a template's text.
private struct Scanner {
  let bytes: [UInt8]
  var position = 0
  var parts: [OutputTemplate.Part] = []
  var literal: [UInt8] = []

  init(_ text: String) { bytes = Array(text.utf8) }

  mutating func scan() throws(TemplateError) -> [OutputTemplate.Part] {
    while position < bytes.count {
      let byte = bytes[position]
      let doubled = position + 1 < bytes.count && bytes[position + 1] == byte
      switch byte {
      case UInt8(ascii: "{") where doubled, UInt8(ascii: "}") where doubled:
        literal.append(byte)
        position += 2
      case UInt8(ascii: "{"):
        endLiteral()
        parts.append(.field(try field()))
      case UInt8(ascii: "}"):
        throw TemplateError("unmatched '}'; write '}}' for a brace", offset: position)
      case 0:
        throw TemplateError("a path can't hold a NUL character", offset: position)
      default:
        literal.append(byte)
        position += 1
      }
    }
    endLiteral()
    return parts
  }

  private mutating func endLiteral() {
    if !literal.isEmpty { parts.append(.literal(String(decoding: literal, as: UTF8.self))) }
    literal = []
  }

  private mutating func field() throws(TemplateError) -> OutputTemplate.Field {
    let start = position
    guard let end = bytes[start...].firstIndex(of: UInt8(ascii: "}")) else {
      throw TemplateError("unmatched '{'; write '{{' for a brace", offset: start)
    }
    let inside = String(decoding: bytes[(start + 1)..<end], as: UTF8.self)
    position = end + 1
    let pieces = inside.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    let name = String(pieces[0])
    guard !name.isEmpty, !name.contains("{") else {
      throw TemplateError("a field needs a name, such as '{name}'", offset: start)
    }
    guard pieces.count == 2 else { return .init(name: name, argument: nil, offset: start) }
    return .init(name: name, argument: try argument(pieces[1], of: name, at: start), offset: start)
  }

  private func argument(_ text: Substring, of name: String, at offset: Int) throws(TemplateError) -> Int {
    switch name {
    case "index":
      guard let width = Int(text), text.utf8.allSatisfy({ (48...57).contains($0) }), (1...20).contains(width)
      else {
        throw TemplateError("'{index:\(text)}': use a width of 1 to 20, as in '{index:05}'", offset: offset)
      }
      return width
    case "hash", "source-hash":
      guard let digits = Int(text), text.utf8.allSatisfy({ (48...57).contains($0) }),
        (4...64).contains(digits)
      else {
        throw TemplateError("'{\(name):\(text)}': use 4 to 64 digits, as in '{hash:8}'", offset: offset)
      }
      return digits
    default:
      throw TemplateError(
        "'{\(name):\(text)}': only index, hash and source-hash take a number after the colon", offset: offset)
    }
  }
}
