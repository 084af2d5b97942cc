/// One parameter of a filter, as its table entry declares it.
public struct FilterParameter: Sendable {
  /// The key, in lower case unless it is one of Core Image's.
  public let name: String
  /// What it may be.
  public let type: ParameterType
  /// What it means, in one line.
  public let summary: String
  /// The value where none is given; nil where one must be given or where none is a meaning of its own.
  public let defaultText: String?
  /// Whether a filter without it is an error.
  public let isRequired: Bool

  /// A parameter that must be given.
  static func required(_ name: String, _ type: ParameterType, _ summary: String) -> FilterParameter {
    FilterParameter(name: name, type: type, summary: summary, defaultText: nil, isRequired: true)
  }

  /// A parameter with a default, written as the grammar writes it.
  static func optional(
    _ name: String, _ type: ParameterType, default text: String, _ summary: String
  ) -> FilterParameter {
    FilterParameter(name: name, type: type, summary: summary, defaultText: text, isRequired: false)
  }

  /// A parameter that may be absent, which is a meaning of its own.
  static func absent(_ name: String, _ type: ParameterType, _ summary: String) -> FilterParameter {
    FilterParameter(name: name, type: type, summary: summary, defaultText: nil, isRequired: false)
  }
}
