/// One parameter of a filter, as its table entry declares it.
public struct FilterParameter: Sendable {
  /// The key, in lower case except for Core Image parameters.
  public let name: String
  /// The type and the range of its values.
  public let type: ParameterType
  /// What the parameter means, in one line.
  public let summary: String
  /// The default in the chain grammar; nil if the parameter is required, or optional without a default.
  public let defaultText: String?
  /// Whether omitting the parameter is an error.
  public let isRequired: Bool

  /// The name in American spelling, which help and manuals use.
  package var displayName: String { Spelling.american(name) }
  /// The default value in American spelling.
  package var displayDefault: String? { defaultText.map(Spelling.american) }

  /// A parameter that must be given.
  static func required(_ name: String, _ type: ParameterType, _ summary: String) -> FilterParameter {
    FilterParameter(name: name, type: type, summary: summary, defaultText: nil, isRequired: true)
  }

  /// A parameter with a default, written in the chain grammar.
  static func optional(
    _ name: String, _ type: ParameterType, default text: String, _ summary: String
  ) -> FilterParameter {
    FilterParameter(name: name, type: type, summary: summary, defaultText: text, isRequired: false)
  }

  /// An optional parameter without a default, whose absence has its own meaning.
  static func absent(_ name: String, _ type: ParameterType, _ summary: String) -> FilterParameter {
    FilterParameter(name: name, type: type, summary: summary, defaultText: nil, isRequired: false)
  }
}
