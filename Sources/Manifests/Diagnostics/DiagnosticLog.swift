/// Collects what is wrong while a manifest is read, so that all of it can be told in one go.
struct DiagnosticLog {
  let text: ManifestText
  private(set) var diagnostics: [ManifestDiagnostic] = []
  private var noted: Set<ManifestDiagnostic> = []

  init(_ text: ManifestText) { self.text = text }

  var isEmpty: Bool { diagnostics.isEmpty }

  /// Notes an error at a place. One complaint about one place is enough: a second equal one is dropped.
  mutating func error(_ place: TextPlace, _ message: String) {
    let diagnostic = ManifestDiagnostic(
      file: text.name, line: place.line, column: place.column, message: message,
      sourceLine: place.isSecret ? nil : text.line(place.line))
    if noted.insert(diagnostic).inserted { diagnostics.append(diagnostic) }
  }

  /// Notes what is wrong with a file that the text names.
  mutating func add(_ diagnostic: ManifestDiagnostic) {
    if noted.insert(diagnostic).inserted { diagnostics.append(diagnostic) }
  }

  /// Throws what was noted, in the order of the places: the text's own first, then other files'.
  func throwIfAny() throws(ManifestErrors) {
    guard !diagnostics.isEmpty else { return }
    func order(_ diagnostic: ManifestDiagnostic) -> (String, Int, Int) {
      (diagnostic.file == text.name ? "" : diagnostic.file, diagnostic.line, diagnostic.column)
    }
    throw ManifestErrors(diagnostics.sorted { order($0) < order($1) })
  }
}

/// A place in a text; columns are counted in Unicode scalars, both numbers from 1.
struct TextPlace: Hashable, Sendable {
  var line: Int
  var column: Int
  /// Whether the line may hold a credential and so is never shown.
  var isSecret = false
}
