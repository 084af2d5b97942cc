import FoundationEssentials
package import ImageBatch
package import ImageCaches
import TerminalText

/// Why a file is what it is.
package struct Explanation {
  /// What the manifest says today.
  package enum Today {
    case noManifest
    case notMade
    case unreadable(String)
    case made(BatchPlan.Entry)
  }

  let entry: LedgerEntry
  let recipe: OutputRecipe?
  let today: Today
  let state: LedgerLookup.State
  let removal: String

  /// - Parameter removal: How a file is removed that the manifest no longer makes.
  package init(_ entry: LedgerEntry, today: Today, state: LedgerLookup.State, removal: String) {
    self.entry = entry
    recipe = OutputRecipe(json: entry.recipe)
    self.today = today
    self.state = state
    self.removal = removal
  }

  /// One sentence about today.
  var verdict: String {
    switch today {
    case .noManifest: "the manifest is no longer there"
    case .unreadable(let reason): "a run would refuse the manifest: \(reason)"
    case .notMade: "the manifest no longer makes it; \(removal)"
    case .made(let planned):
      switch (planned.action, differences.isEmpty) {
      case (.keep, _): "nothing differs: a run would leave it alone"
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
    var rows: [(String, String)] = [
      ("file", entry.path), ("state", state.rawValue), ("manifest", entry.scope.manifest),
      ("key", entry.key.hex),
    ]
    if let recipe {
      rows += [
        ("source", recipe.source), ("content", recipe.content.hex), ("filter", recipe.filter),
        ("encoding", recipe.encoding), ("engine", recipe.engine),
      ]
      rows += recipe.auxiliary.sorted { $0.key < $1.key }.map { ("picture", "\($0.key) \($0.value.hex)") }
    }
    rows.append(("today", verdict))
    var text = rows.map { "\(TerminalText.padded($0.0, to: 9)) \($0.1)\n" }.joined()
    for difference in differences {
      text += "\(difference.part)\n  was \(difference.before)\n  is  \(difference.now)\n"
    }
    return text
  }

  package var json: String {
    get throws {
      struct Document: Encodable {
        let file: String
        let state: String
        let manifest: String
        let key: String
        let recipe: OutputRecipe?
        let today: String
        let differences: [OutputRecipe.Difference]
      }
      let encoder = JSONEncoder()
      encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
      let document = Document(
        file: entry.path, state: state.rawValue, manifest: entry.scope.manifest, key: entry.key.hex,
        recipe: recipe,
        today: verdict, differences: differences)
      return String(decoding: try encoder.encode(document), as: UTF8.self) + "\n"
    }
  }
}
