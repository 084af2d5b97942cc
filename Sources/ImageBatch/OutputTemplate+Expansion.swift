public import ImageCaches
public import ImageRendering
import SystemIO

extension OutputTemplate {
  /// The values of the built-in fields. Values of later stages are nil until they are known.
  public struct Values: Sendable {
    /// The source's file name without its extension.
    public var name: String
    /// The source's host; empty if it has none.
    public var host: String
    /// The source's directory path, without slashes at its ends; empty if there is none.
    public var path: String
    /// The source's directory relative to its ``SourceRoot``; empty if they are equal.
    public var directory = ""
    /// The job's position, from 1.
    public var index: Int
    /// The output's format; nil until it is chosen from several.
    public var format: OutputFormat?
    /// The identifier of the filter chain; empty without filters.
    public var filter: String
    /// The source's digest; nil until it has been read.
    public var sourceDigest: ContentDigest?
    /// The output's width and height, in pixels, and its digest; nil until it is rendered.
    public var rendered: (width: Int, height: Int, digest: ContentDigest)?

    /// Creates the values that are known before the source is read.
    /// - Parameters:
    ///   - name: The source's file name without its extension.
    ///   - host: The source's host; empty if it has none.
    ///   - path: The source's directory path.
    ///   - index: The job's position, from 1.
    ///   - format: The output's format; nil if it is chosen from several.
    ///   - filter: The identifier of the filter chain.
    public init(name: String, host: String, path: String, index: Int, format: OutputFormat?, filter: String) {
      self.name = name
      self.host = host
      self.path = path
      self.index = index
      self.format = format
      self.filter = filter
    }
  }

  /// Expands the path. Every value except `{dir}`'s is one component.
  /// - Parameters:
  ///   - values: The values of the built-in fields.
  ///   - variables: The job's variables by name, which take precedence over built-in fields.
  /// - Returns: nil if a value isn't known yet, or a field is neither built in nor a variable.
  public func expanded(_ values: Values, variables: [String: String]) -> String? {
    var result = ""
    // Whether `{dir}` was empty: the slash after it would make the path absolute.
    var isAfterNoDirectory = false
    for part in parts {
      switch part {
      case .literal(let text):
        result += isAfterNoDirectory ? Self.withoutSlash(text, after: result) : text[...]
        isAfterNoDirectory = false
      case .field(let field) where field.name == BuiltIn.dir.rawValue && variables[field.name] == nil:
        let directory = PathComponent.safe(directory: values.directory)
        result += directory
        isAfterNoDirectory = isAfterNoDirectory || directory.isEmpty
      case .field(let field):
        guard let value = value(of: field, values, variables) else { return nil }
        result += PathComponent.safe(value, atStart: result.isEmpty || Paths.endsWithSlash(result))
        isAfterNoDirectory = false
      }
    }
    return result
  }

  /// `text` without its leading slash if `path` is empty or ends with a slash.
  static func withoutSlash(_ text: String, after path: String) -> Substring {
    guard Paths.isAbsolute(text), path.isEmpty || Paths.endsWithSlash(path) else { return text[...] }
    // The byte: a combining mark after the slash is part of its `Character`.
    return text[text.utf8.index(after: text.startIndex)...]
  }

  private func value(of field: Field, _ values: Values, _ variables: [String: String]) -> String? {
    if let variable = variables[field.name] { return variable }
    switch BuiltIn(rawValue: field.name) {
    case .name: return values.name
    case .ext: return values.format?.pathExtension
    case .index: return String(values.index).leftPadded(to: field.argument ?? 0)
    case .host: return values.host
    case .path: return values.path
    case .dir: return values.directory
    case .format: return values.format?.rawValue
    case .filter: return PathComponent.safe(identifier: values.filter)
    case .width: return values.rendered.map { String($0.width) }
    case .height: return values.rendered.map { String($0.height) }
    case .hash: return values.rendered.map { String($0.digest.hex.prefix(field.argument ?? 16)) }
    case .sourceHash: return values.sourceDigest.map { String($0.hex.prefix(field.argument ?? 16)) }
    case nil: return nil
    }
  }
}

/// Makes text safe to use as a path component.
enum PathComponent {
  /// Replaces separators and control characters with `_`, and a dot at the component's start too (a hidden file, `.` or
  /// `..`).
  ///
  /// Very long text is cut, to bound the work; file systems reject components over 255 bytes anyway.
  static func safe(_ text: String, atStart: Bool) -> String {
    var result = String.UnicodeScalarView()
    for scalar in text.unicodeScalars.prefix(OutputTemplate.longest) {
      let isLeadingDot = scalar == "." && atStart && result.allSatisfy { $0 == "_" }
      let isUnsafe = scalar == "/" || scalar == "\\" || scalar.properties.generalCategory == .control
      result.append(isLeadingDot || isUnsafe ? "_" : scalar)
    }
    return String(result)
  }

  /// Makes each component of a relative directory safe, without `.` and `..`.
  static func safe(directory: String) -> String {
    directory.split(separator: "/").filter { $0 != "." && $0 != ".." }
      .map { safe(String($0), atStart: true) }.joined(separator: "/")
  }

  /// Turns a chain's identifier into a file name of letters, digits, `.`, `_` and `-`. A long one is cut and ends in a
  /// hash of the whole, so that two chains don't share a name.
  static func safe(identifier: String) -> String {
    if identifier.isEmpty { return "original" }
    let kept = identifier.unicodeScalars.map { scalar in
      let isKept = scalar.isASCII && (scalar.properties.isAlphabetic || scalar.properties.numericType != nil)
      return isKept || scalar == "." || scalar == "_" ? Character(scalar) : "-"
    }
    guard kept.count > 100 else { return String(kept) }
    return String(kept.prefix(80)) + "-" + ContentDigest(hashing: identifier.utf8).hex.prefix(16)
  }
}

extension String {
  fileprivate func leftPadded(to width: Int) -> String {
    String(repeating: "0", count: max(0, width - count)) + self
  }
}
