/// What `--emit` says of a picture besides the names and sizes of its files.
public struct Markup: Sendable, Hashable {
  /// When a browser loads the picture: HTML's `loading`.
  public enum Loading: String, Sendable, CaseIterable {
    /// When it comes near the window.
    case lazy
    /// At once.
    case eager
  }

  /// What stands in the picture's place until it is there: its background.
  public enum Placeholder: String, Sendable, CaseIterable {
    /// Nothing.
    case none
    /// Its dominant color.
    case color
    /// A tiny copy of it.
    case image
  }

  /// The text that stands for the picture: HTML's `alt`.
  public var alt = ""
  /// How wide the picture is on the page: HTML's `sizes`. nil: as wide as the window, and never wider than the largest.
  public var sizes: String?
  /// nil: the browser's default.
  public var loading: Loading?
  /// What stands before an output's path in its URL; nil: the URL is relative to the page.
  public var urlPrefix: String?
  /// The picture's background.
  public var placeholder = Placeholder.none
  /// What is written in place of an element.
  public var template: MarkupTemplate?

  /// Whether there is a background.
  public var showsPlaceholder: Bool { placeholder != .none }

  /// Nothing but what every picture has.
  public init() {}
}

/// Markup of one's own: HTML with fields such as `{src}`. `{{` and `}}` are braces.
public struct MarkupTemplate: Sendable, Hashable {
  /// What a field stands for.
  public enum Field: String, Sendable, CaseIterable {
    /// The whole element, or a part of it.
    case picture, img, sources
    /// The values of the `img` element's attributes.
    case src, srcset, sizes, width, height, alt, loading, style
    /// The media type, and the source as it may be shown.
    case type, source
  }

  /// A piece of a template.
  public enum Part: Sendable, Hashable {
    /// HTML as it was written.
    case html(String)
    /// A variable's value: a text that is to be escaped.
    case text(String)
    /// To be filled in for each picture.
    case field(Field)
  }

  /// What is wrong with a template's text.
  public struct Failure: Error, Sendable, Hashable {
    /// One sentence.
    public let message: String
    /// In UTF-8 bytes from the text's start.
    public let offset: Int
    /// The name that nothing defines, if that is the failure.
    public let unknown: String?
  }

  /// From the first to the last.
  public let parts: [Part]

  /// The template that `text` describes. A name that is no ``Field``'s is one of `variables`.
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
            ? "a '{' without its '}'; write '{{' for a brace"
            : "a '}' without its '{'; write '}}' for a brace",
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
