/// HTML settings of an image for `--emit`, besides its files' names and sizes.
public struct Markup: Sendable, Hashable {
  /// When a browser loads the image: the `loading` attribute.
  public enum Loading: String, Sendable, CaseIterable {
    /// When it comes near the viewport.
    case lazy
    /// Immediately, wherever it is on the page.
    case eager
  }

  /// The background to show until the image has loaded.
  public enum Placeholder: String, Sendable, CaseIterable {
    /// No background at all.
    case none
    /// The dominant color of the image.
    case color
    /// A tiny version of the image.
    case image
  }

  /// The alternative text: the `alt` attribute.
  public var alt = ""
  /// The image's width on the page: the `sizes` attribute. Default: the viewport's width, up to the largest
  /// output.
  public var sizes: String?
  /// The `loading` attribute; nil for the browser's default. Default: nil.
  public var loading: Loading?
  /// The prefix of an output's path in its URL; nil for a URL relative to the page. Default: nil.
  public var urlPrefix: String?
  /// The background to show until the image has loaded.
  public var placeholder = Placeholder.none
  /// A template that replaces the generated element.
  public var template: MarkupTemplate?

  /// Whether ``placeholder`` is a color or an image.
  public var showsPlaceholder: Bool { placeholder != .none }

  /// Creates settings that are all at their defaults.
  public init() {}
}

/// Custom HTML with fields such as `{src}`. `{{` and `}}` are literal braces.
public struct MarkupTemplate: Sendable, Hashable {
  /// A field that is replaced for each image.
  public enum Field: String, Sendable, CaseIterable {
    /// The whole element or a part of it.
    case picture, img, sources
    /// The value of the `img` element's attribute.
    case src, srcset, sizes, width, height, alt, loading, style
    /// The media type, and the source's text without credentials.
    case type, source
  }

  /// A piece of a template: text or a field.
  public enum Part: Sendable, Hashable {
    /// HTML from the template, with braces unescaped.
    case html(String)
    /// A variable's value, which has yet to be escaped.
    case text(String)
    /// A field to replace for each image.
    case field(Field)
  }

  /// A syntax error in a template.
  public struct Failure: Error, Sendable, Hashable {
    /// What is wrong, in one sentence.
    public let message: String
    /// The error's offset in UTF-8 bytes.
    public let offset: Int
    /// The undefined name, if that is the error.
    public let unknown: String?
  }

  /// The template's parts in order.
  public let parts: [Part]

  /// Parses a template. Braces are doubled to stand for themselves.
  /// - Parameters:
  ///   - text: The template's HTML with fields.
  ///   - variables: The values of names that aren't a ``Field``.
  /// - Throws: ``Failure`` for an unmatched brace or an undefined name.
  public init(parsing text: String, variables: [String: String]) throws(Failure) {
    var parts: [Part] = []
    var html: [UInt8] = []
    let bytes = Array(text.utf8)
    let (opening, closing) = (UInt8(ascii: "{"), UInt8(ascii: "}"))
    var position = 0
    while position < bytes.count {
      let byte = bytes[position]
      guard byte == opening || byte == closing else {
        html.append(byte)
        position += 1
        continue
      }
      if position + 1 < bytes.count, bytes[position + 1] == byte {
        html.append(byte)
        position += 2
        continue
      }
      guard byte == opening, let end = bytes[position...].firstIndex(of: closing) else {
        throw Failure(
          message: byte == opening
            ? "unmatched '{'; write '{{' for a brace"
            : "unmatched '}'; write '}}' for a brace",
          offset: position, unknown: nil)
      }
      let name = String(decoding: bytes[(position + 1)..<end], as: UTF8.self)
      if !html.isEmpty { parts.append(.html(String(decoding: html, as: UTF8.self))) }
      html = []
      if let field = Field(rawValue: name) {
        parts.append(.field(field))
      } else if let value = variables[name] {
        parts.append(.text(value))
      } else {
        throw Failure(message: "nothing defines '{\(name)}' here", offset: position, unknown: name)
      }
      position = end + 1
    }
    if !html.isEmpty { parts.append(.html(String(decoding: html, as: UTF8.self))) }
    self.parts = parts
  }
}
