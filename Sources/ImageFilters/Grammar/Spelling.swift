/// One form for the spellings of a name: `Centre`, `center` and `CENTER` are the same.
///
/// Filters, parameters, encoder options and their words are looked up by this form. Identifiers keep the tables'
/// spelling.
package enum Spelling {
  /// British spellings in names, with their American equivalents.
  private static let parts = [
    ("colour", "color"), ("centre", "center"), ("grey", "gray"), ("normalise", "normalize"),
    ("equalise", "equalize"), ("posterise", "posterize"), ("pixellate", "pixelate"),
  ]

  /// The name in American spelling and lower case.
  package static func normalized(_ name: String) -> String {
    american(name.lowercased())
  }

  /// The name in American spelling, which help, manuals and messages use. Its case is kept.
  package static func american(_ name: String) -> String {
    var result = name
    for (british, american) in parts where contains(result, british) {
      result = result.replacing(british, with: american)
    }
    return result
  }

  /// Whether a text has a part. `replacing` takes microseconds to find nothing, and a chain from typed filters has
  /// dozens of names.
  private static func contains(_ text: String, _ part: String) -> Bool {
    var rest = text.utf8[...]
    while rest.count >= part.utf8.count {
      if rest.starts(with: part.utf8) { return true }
      rest.removeFirst()
    }
    return false
  }
}
