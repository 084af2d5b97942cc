package import ObjectStorage
import SystemIO

/// The source of an image's bytes.
public enum ImageSource: Hashable, Sendable {
  /// An absolute `http:` or `https:` URL, or an `s3://bucket/key` address, as written.
  case url(String)
  /// A file path, absolute or relative to the current directory.
  case file(String)
  /// A `data:` URL (RFC 2397), as written.
  case data(String)
  /// Standard input, which can be read only once.
  case standardInput
}

extension ImageSource {
  /// Whether two sources have the same text, byte for byte. Swift takes the same characters in other Unicode forms for equal,
  /// but they name other files.
  public static func == (one: ImageSource, other: ImageSource) -> Bool {
    switch (one, other) {
    case (.url(let text), .url(let otherText)), (.file(let text), .file(let otherText)),
      (.data(let text), .data(let otherText)):
      text.utf8.count == otherText.utf8.count && text.utf8.elementsEqual(otherText.utf8)
    case (.standardInput, .standardInput): true
    default: false
    }
  }

  /// Hashes the bytes of the text.
  public func hash(into hasher: inout Hasher) {
    let (kind, text) =
      switch self {
      case .url(let text): (0, text)
      case .file(let text): (1, text)
      case .data(let text): (2, text)
      case .standardInput: (3, "")
      }
    hasher.combine(kind)
    var bytes = text
    bytes.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
  }

  /// Parses a user's text: an absolute http or https URL, an `s3://bucket/key` address, a `file:` or `data:` URL, `-` for
  /// standard input, or a path.
  ///
  /// - Parameters:
  ///   - text: The text, as typed or as in a manifest.
  ///   - directory: The base of a relative path; nil for the current directory. Default: nil.
  /// - Throws: `DownloadError` with code `.badSource` for an empty text, an invalid URL or an unsupported
  ///   scheme.
  public init(parsing text: String, relativeTo directory: String? = nil) throws(DownloadError) {
    guard !text.isEmpty else { throw .badSource(text, "the source is empty; name a URL, a path, or '-'") }
    if text == "-" {
      self = .standardInput
      return
    }
    do throws(InvalidForm) {
      if let source = try Self.ofScheme(text) {
        self = source
        return
      }
    } catch {
      throw .badSource(text, error.message)
    }
    if let scheme = URLReference.scheme(of: text), text.dropFirst(scheme.count).hasPrefix("://") {
      throw .badSource(text, "unsupported scheme '\(scheme)'; use http, https, s3, file or data")
    }
    guard let directory, directory != ".", !Paths.isAbsolute(text) else {
      self = .file(text)
      return
    }
    self = .file("\(directory)/\(text)")
  }

  /// The reason that a text with a supported scheme isn't a source.
  package struct InvalidForm: Error {
    /// The mistake and its correction, without the text itself.
    package let message: String
  }

  /// Parses a text with a supported scheme: http, https, s3, data or file. The command line and manifests share this.
  /// - Returns: nil for another scheme, or none.
  package static func ofScheme(_ text: String) throws(InvalidForm) -> ImageSource? {
    switch URLReference.scheme(of: text) {
    case "http"?, "https"?:
      if let control = text.unicodeScalars.first(where: { $0.properties.generalCategory == .control }) {
        let number = String(control.value, radix: 16, uppercase: true)
        throw InvalidForm(
          message: "the URL contains the control character U+\(number): encode it as %\(number)")
      }
      let reference = URLReference(parsing: text)
      if reference == nil, text.utf8.contains(UInt8(ascii: " ")) {
        throw InvalidForm(message: "the URL contains a space: remove it, or write %20")
      }
      guard let host = reference?.host, !host.isEmpty else {
        throw InvalidForm(message: "the URL has no host: write 'https://HOST/PATH'")
      }
      guard WebAddress(text) != nil else {
        throw InvalidForm(message: "the URL is invalid: check its host and port")
      }
      return .url(text)
    case "s3"?:
      do throws(ObjectAddress.Mistake) {
        _ = try ObjectAddress(parsing: text)
      } catch {
        throw InvalidForm(message: error.message)
      }
      return .url(text)
    case "data"?:
      guard text.contains(",") else {
        throw InvalidForm(message: "a data: URL needs a comma before its data")
      }
      return .data(text)
    case "file"?:
      guard let path = FileURL.path(text) else {
        throw InvalidForm(
          message: "a file: URL must name a local path: write 'file:///PATH', with '%25' for '%'")
      }
      return .file(path)
    default: return nil
    }
  }
}

extension ImageSource {
  /// The source without secrets, for display: a URL without user name, password and tokens, or a short `data:` URL.
  public var displayText: String {
    switch self {
    case .url(let text):
      // An object's address has no secrets.
      (try? ObjectAddress(parsingPrefix: text)) == nil
        ? WebAddress(text)?.displayText ?? "(invalid URL)" : text
    case .file(let path): path
    case .data(let text): text.utf8.count <= 40 ? text : "\(text.prefix(32))… (\(text.utf8.count) bytes)"
    case .standardInput: "-"
    }
  }

  /// The object that an `s3:` address names; nil for other sources.
  package var objectAddress: ObjectAddress? {
    guard case .url(let text) = self, ObjectAddress.isAddress(text) else { return nil }
    return try? ObjectAddress(parsing: text)
  }

  /// The host of an http or https URL; nil for other sources.
  public var host: String? {
    guard case .url(let text) = self else { return nil }
    return WebAddress(text)?.host
  }

  /// The last path component without its extension, for output names: `index` if the path ends in a slash, `stdin` or
  /// `data` if the source has no path.
  public var fileName: String {
    switch self {
    case .standardInput: return "stdin"
    case .data: return "data"
    case .url, .file:
      let name = components.last ?? "index"
      guard let dot = name.lastIndex(of: "."), dot != name.startIndex else { return name }
      return String(name[..<dot])
    }
  }

  /// The path's directory, without slashes at its ends; empty if there is none.
  public var directoryPath: String {
    components.dropLast().joined(separator: "/")
  }

  /// The decoded components of the path's directory. `..` removes a component, and never leads above the root. Empty
  /// for a source without a path.
  public var directories: [String] {
    func components(_ path: String) -> [Substring] {
      Paths.absoluteComponents(DirectoryEntry(path).directory, from: "/")
    }
    switch self {
    case .url where objectAddress != nil:
      return components("/" + (objectAddress?.key ?? ""))
        .map(String.init)
    case .url(let text):
      // Decode after splitting: an encoded slash is part of the name.
      return components(String(WebAddress(text)?.path ?? "")).map {
        PercentEncoding.decoded($0).replacing(scalar: "/", with: "_")
      }
    case .file(let text): return components(text).map(String.init)
    case .data, .standardInput: return []
    }
  }

  /// The decoded components of the path; `index` is the last one if the path ends in a slash.
  private var components: [String] {
    let path: String
    switch self {
    case .url where objectAddress != nil: path = objectAddress?.key ?? ""
    case .url(let text): path = PercentEncoding.decoded(WebAddress(text)?.path ?? "/")
    case .file(let text): path = text
    case .data, .standardInput: return []
    }
    var components = Paths.components(path).map(String.init)
    if Paths.endsWithSlash(path) { components.append("index") }
    return components
  }
}
