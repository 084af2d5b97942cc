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
    var result = name.lowercased()
    for (british, american) in parts where result.utf8.count >= british.utf8.count {
      result = result.replacing(british, with: american)
    }
    return result
  }
}
