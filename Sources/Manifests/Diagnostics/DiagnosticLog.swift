/// Collects what is wrong while a manifest is read, so that all of it can be told in one go, and counts what it has come to
/// stand for.
struct DiagnosticLog {
  let text: ManifestText
  private(set) var diagnostics: [ManifestDiagnostic] = []
  private var noted: Set<ManifestDiagnostic> = []
  var budget = ExpansionBudget()

  init(_ text: ManifestText) { self.text = text }

  var isEmpty: Bool { diagnostics.isEmpty }

  /// Notes an error at a place. One complaint about one place is enough: a second equal one is dropped.
  mutating func error(_ place: TextPlace, _ message: @autoclosure () -> String) {
    guard diagnostics.count <= ExpansionBudget.mistakes else { return }
    let isLast = diagnostics.count == ExpansionBudget.mistakes
    let diagnostic = ManifestDiagnostic(
      file: text.name, line: place.line, column: place.column,
      message: isLast
        ? "there are more than \(ExpansionBudget.mistakes) mistakes, of which this is one: mend the others first"
        : message(),
      sourceLine: place.isSecret ? nil : text.excerpt(place.line))
    if noted.insert(diagnostic).inserted { diagnostics.append(diagnostic) }
  }

  /// Notes, once, that the manifest stands for too much text.
  mutating func exceeded(_ place: TextPlace) {
    let isKnown = diagnostics.contains { $0.message == ExpansionBudget.tooMuchText }
    if !isKnown { error(place, ExpansionBudget.tooMuchText) }
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
