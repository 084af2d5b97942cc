import SystemIO

/// Where an image's bytes come from.
public enum ImageSource: Hashable, Sendable {
  /// An absolute `http:` or `https:` URL, as written.
  case url(String)
  /// A path of the file system, absolute or relative to the process's directory.
  case file(String)
  /// A `data:` URL (RFC 2397), as written.
  case data(String)
  /// Standard input, which can be read once.
  case standardInput
}

extension ImageSource {
  /// The source that a user's text names: an absolute http or https URL, a `file:` or `data:` URL, `-` for standard
  /// input, else a path.
  ///
  /// - Parameters:
  ///   - text: what the user wrote.
  ///   - directory: what a relative path is relative to; the process's directory where nil.
  /// - Throws: `DownloadError`, code `.badSource`, for an empty text, a broken URL, or a scheme that isn't supported.
  public init(parsing text: String, relativeTo directory: String? = nil) throws(DownloadError) {
    guard !text.isEmpty else { throw .badSource(text, "the source is empty; name a URL, a path, or '-'") }
    if text == "-" {
      self = .standardInput
      return
    }
    switch URLReference.scheme(of: text) {
    case "http"?, "https"?:
      guard WebAddress(text) != nil else {
        throw .badSource(text, "this is no URL of the form http://host/path; check its host and port")
      }
      self = .url(text)
    case "data"?: self = .data(text)
    case "file"?:
      guard let path = FileURL.path(text) else {
        throw .badSource(
          text, "a file: URL names a path of this machine: write 'file:///PATH', with '%25' for '%'")
      }
      self = .file(path)
    case let scheme? where text.dropFirst(scheme.count).hasPrefix("://"):
      throw .badSource(text, "'\(scheme)' is not supported; use http, https, file or data")
    default:
      guard let directory, directory != ".", !Paths.isAbsolute(text) else {
        self = .file(text)
        return
      }
      self = .file("\(directory)/\(text)")
    }
  }
}

extension ImageSource {
  /// The source as it may be shown: a URL without user name, password and tokens, a `data:` URL shortened.
  public var displayText: String {
    switch self {
    case .url(let text): WebAddress(text)?.displayText ?? "(broken URL)"
    case .file(let path): path
    case .data(let text): text.utf8.count <= 40 ? text : "\(text.prefix(32))… (\(text.utf8.count) bytes)"
    case .standardInput: "-"
    }
  }

  /// The host of a URL; nil for other sources.
  public var host: String? {
    guard case .url(let text) = self else { return nil }
    return WebAddress(text)?.host
  }

  /// The last component of the path without its extension, for names of outputs: `stdin` and `data` for what has no
  /// path, `index` where the path ends in a slash.
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

  /// The path's directory without slashes at its ends; empty where there is none.
  public var directoryPath: String {
    components.dropLast().joined(separator: "/")
  }

  /// The directories of the path from its start, decoded, each one component: `..` takes one back, and goes up no
  /// further than the start. Empty for a source without a path.
  public var directories: [String] {
    func components(_ path: String) -> [Substring] {
      Paths.absoluteComponents(DirectoryEntry(path).directory, from: "/")
    }
    switch self {
    case .url(let text):
      // A slash that is encoded belongs to the name.
      return components(String(WebAddress(text)?.path ?? "")).map {
        PercentEncoding.decoded($0).replacing("/", with: "_")
      }
    case .file(let text): return components(text).map(String.init)
    case .data, .standardInput: return []
    }
  }

  /// The path's components, decoded; the last is nil's stand-in where the path ends in a slash.
  private var components: [String] {
    let path: String
    switch self {
    case .url(let text): path = PercentEncoding.decoded(WebAddress(text)?.path ?? "/")
    case .file(let text): path = text
    case .data, .standardInput: return []
    }
    var components = Paths.components(path).map(String.init)
    if Paths.endsWithSlash(path) { components.append("index") }
    return components
  }
}
