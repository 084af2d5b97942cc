import FoundationEssentials
package import ImageBatch
package import ImageCaches
import SystemIO
import TerminalText

/// Explains how an output file was made and what a run would do with it now.
package struct Explanation {
  /// The manifest's current plan for the file.
  package enum Today {
    /// The sources were operands, or on standard input.
    case unknown
    /// The manifest doesn't exist.
    case noManifest
    /// The manifest has no such output.
    case notMade
    /// The manifest is invalid, for the given reason.
    case unreadable(String)
    /// The manifest has the output, with the given plan.
    case made(BatchPlan.Entry)
  }

  let entry: RegistryEntry
  let recipe: OutputRecipe?
  let today: Today
  let state: RegistryLookup.State
  let removal: String

  /// Explains the file of a registry entry.
  /// - Parameter removal: The advice for removing a file that the manifest no longer makes, as the end of a
  ///   sentence.
  package init(_ entry: RegistryEntry, today: Today, state: RegistryLookup.State, removal: String) {
    self.entry = entry
    recipe = OutputRecipe(json: entry.recipe)
    self.today = today
    self.state = state
    self.removal = removal
  }

  /// The action of a run now, as a sentence.
  var verdict: String {
    switch today {
    case .unknown: "unknown: the sources were operands or standard input"
    case .noManifest: "the manifest no longer exists"
    case .unreadable(let reason): "the manifest is invalid: \(reason)"
    case .notMade: "the manifest no longer makes it; \(removal)"
    case .made(let planned):
      switch (planned.action, differences.isEmpty) {
      case (.keep, _): "nothing differs: a run would keep it"
      case (_, true): "a run would \(planned.action.rawValue): \(planned.reason)"
      case (_, false):
        "a run would \(planned.action.rawValue): \(differences.map(\.part).joined(separator: ", ")) "
          + "\(differences.count == 1 ? "differs" : "differ") from the last run"
      }
    }
  }

  var differences: [OutputRecipe.Difference] {
    guard case .made(let planned) = today, let recipe, let now = planned.recipe else { return [] }
    return now.differences(from: recipe)
  }

  package var text: String {
    var rows: [(String, String)] = [("output", entry.path), ("state", state.rawValue)]
    if entry.scope.manifest != "-" { rows.append(("manifest", entry.scope.manifest)) }
    rows.append(("key", entry.key.hex))
    if let recipe {
      rows += [
        ("source", recipe.source), ("content", recipe.content.hex), ("filter", recipe.filter),
        ("encoding", recipe.encoding), ("engine", recipe.engine),
      ]
      rows += recipe.auxiliary.sorted { $0.key < $1.key }.map { ("image", "\($0.key) \($0.value.hex)") }
    }
    rows.append(("today", verdict))
    var lines = rows.map { "\(TerminalText.padded($0.0, to: 9)) \($0.1)" }
    for difference in differences {
      lines += ["\(difference.part)", "  was \(difference.before)", "  is  \(difference.now)"]
    }
    // A name from a manifest must not move the terminal's cursor.
    return lines.map { TerminalText.visible($0) + "\n" }.joined()
  }

  package var json: String {
    get throws {
      struct Document: Encodable {
        let output: String
        let state: String
        let manifest: String
        let key: String
        let recipe: Recipe?
        let today: String
        let differences: [OutputRecipe.Difference]
      }
      /// The recipe, with the digests of the images under the name that all documents have for digests.
      struct Recipe: Encodable {
        let source: String
        let sha256: String
        let filter: String
        let encoding: String
        let engine: String
        let auxiliary: [String: String]

        init(_ recipe: OutputRecipe) {
          source = recipe.source
          sha256 = recipe.content.hex
          filter = recipe.filter
          encoding = recipe.encoding
          engine = recipe.engine
          auxiliary = recipe.auxiliary.mapValues(\.hex)
        }
      }
      let document = Document(
        output: entry.path, state: state.rawValue, manifest: entry.scope.manifest, key: entry.key.hex,
        recipe: recipe.map(Recipe.init), today: verdict, differences: differences)
      return String(decoding: try JSONText.document(document, pretty: true), as: UTF8.self) + "\n"
    }
  }
}
