/// Collects the errors in a manifest, so that all are reported at once, and tracks how far it expands.
struct DiagnosticLog {
  let text: ManifestText
  private(set) var diagnostics: [ManifestDiagnostic] = []
  private var noted: Set<ManifestDiagnostic> = []
  var budget = ExpansionBudget()

  init(_ text: ManifestText) { self.text = text }

  var isEmpty: Bool { diagnostics.isEmpty }

  /// Adds an error. A second error with the same place and message is dropped.
  mutating func error(_ place: TextPlace, _ message: @autoclosure () -> String) {
    guard diagnostics.count <= ExpansionBudget.mistakes else { return }
    let isLast = diagnostics.count == ExpansionBudget.mistakes
    let diagnostic = ManifestDiagnostic(
      file: text.name, line: place.line, column: place.column,
      message: isLast
        ? "there are more than \(ExpansionBudget.mistakes) mistakes, of which this is one: fix the others first"
        : message(),
      sourceLine: place.isSecret ? nil : text.excerpt(place.line))
    if noted.insert(diagnostic).inserted { diagnostics.append(diagnostic) }
  }

  /// Whether there is an error at the place.
  func hasError(at place: TextPlace) -> Bool {
    diagnostics.contains { $0.file == text.name && $0.line == place.line && $0.column == place.column }
  }

  /// Adds, once, the error that the manifest expands to too much text.
  mutating func exceeded(_ place: TextPlace) {
    let isKnown = diagnostics.contains { $0.message == ExpansionBudget.tooMuchText }
    if !isKnown { error(place, ExpansionBudget.tooMuchText) }
  }

  /// Adds an error in another file.
  mutating func add(_ diagnostic: ManifestDiagnostic) {
    if noted.insert(diagnostic).inserted { diagnostics.append(diagnostic) }
  }

  /// Throws all errors in the order of their places: those of the text first, then those of other files.
  func throwIfAny() throws(ManifestErrors) {
    guard !diagnostics.isEmpty else { return }
    func order(_ diagnostic: ManifestDiagnostic) -> (String, Int, Int) {
      (diagnostic.file == text.name ? "" : diagnostic.file, diagnostic.line, diagnostic.column)
    }
    throw ManifestErrors(diagnostics.sorted { order($0) < order($1) })
  }
}

/// A place in a text: line and column from 1, columns in Unicode scalars.
struct TextPlace: Hashable, Sendable {
  var line: Int
  var column: Int
  /// Whether the line may contain a credential, and so is never shown.
  var isSecret = false
}
