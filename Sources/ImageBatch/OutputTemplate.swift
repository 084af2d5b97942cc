/// An output's path with `{name}` fields (CLI.md, "Output templates").
public struct OutputTemplate: Sendable, Hashable {
  /// As written.
  public let text: String

  /// The template that `text` describes.
  public init(parsing text: String) throws(TemplateError) {
    self.text = text
  }

  /// The extension that the text ends with, without the dot; nil where it ends in none or in a field.
  public var literalPathExtension: String? { nil }
}

/// What is wrong with a template.
public struct TemplateError: Error, Hashable, Sendable, CustomStringConvertible {
  /// One sentence: what is wrong, and what to write instead.
  public let message: String
  /// Where in the template, in UTF-8 bytes from its start.
  public let offset: Int

  /// The message.
  public var description: String { message }
}
