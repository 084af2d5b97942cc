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

  /// Throws what was noted, in the order of the places.
  func throwIfAny() throws(ManifestErrors) {
    guard !diagnostics.isEmpty else { return }
    throw ManifestErrors(diagnostics.sorted { ($0.line, $0.column) < ($1.line, $1.column) })
  }
}

/// A place in a text; columns are counted in Unicode scalars, both numbers from 1.
struct TextPlace: Hashable, Sendable {
  var line: Int
  var column: Int
  /// Whether the line may hold a credential and so is never shown.
  var isSecret = false
}
