import ArgumentParser
import FoundationEssentials
import ImageBatch
import ImageCaches
import SystemIO

extension CacheCommand {
  /// What an output was made from, and what would make it another today.
  struct Explain: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Say what a file was made from, and which part of its key differs from the last run.",
      discussion: """
        The manifest that it was made for is read again, and nothing is downloaded. Options that the run was given, \
        such as -f for a list or --allow-net, are given here too. Exit 1 where no run is known to have made the file.

          imagemill cache explain public/hero.webp
        """)

    @Argument(help: "A file that a run has put in place.", completion: .file())
    var output: String

    @Flag(help: "As one JSON object.") var json = false
    @OptionGroup var place: Place
    @OptionGroup(title: "Jobs") var jobs: JobOptions
    @OptionGroup(title: "Downloads") var downloads: DownloadOptions

    func run() async throws {
      let explanation = try await explanation()
      try StandardOutput.write(json ? try explanation.json : explanation.text)
    }

    private func explanation() async throws -> Explanation {
      let store = try place.openStore()
      defer { store.close() }
      do {
        guard let entry = try LedgerLookup(store: store).entry(of: output) else {
          throw Complaint(
            .failed,
            "no run is known to have made \(output): it was made with another cache directory, from standard input, "
              + "or by something else")
        }
        return try await Explanation(
          entry, today: today(entry), state: LedgerLookup(store: store).state(of: entry))
      } catch let error as CacheError {
        throw Complaint(.failed, error.messageWithRemedy(canDoWithout: false))
      }
    }

    /// What a run of the manifest would make the file from today; nil where it would make no such file.
    private func today(_ entry: LedgerEntry) async throws -> Explanation.Today {
      guard File.exists(entry.scope.manifest) else { return .noManifest }
      var jobs = jobs
      jobs.template = jobs.template ?? (entry.scope.template.isEmpty ? nil : entry.scope.template)
      jobs.outputDirectory = jobs.outputDirectory ?? entry.scope.directory
      let input: JobOptions.Input
      do {
        input = try jobs.read([entry.scope.manifest])
      } catch let error as ManifestComplaint {
        return .unreadable(error.errors.diagnostics.first?.description ?? "it has mistakes")
      }
      let plan = try await Planning(
        downloads: downloads, cache: place.settings, allowsOutside: jobs.arguments.allowOutside
      ).plan(input)
      let entries = plan.entries.filter { $0.realPath == entry.path }
      guard let found = entries.first else { return .notMade }
      return .made(found)
    }
  }
}

/// Why a file is what it is.
struct Explanation {
  /// What the manifest says today.
  enum Today {
    case noManifest
    case notMade
    case unreadable(String)
    case made(BatchPlan.Entry)
  }

  let entry: LedgerEntry
  let recipe: OutputRecipe?
  let today: Today
  let state: LedgerLookup.State

  init(_ entry: LedgerEntry, today: Today, state: LedgerLookup.State) {
    self.entry = entry
    recipe = OutputRecipe(json: entry.recipe)
    self.today = today
    self.state = state
  }

  /// One sentence about today.
  var verdict: String {
    switch today {
    case .noManifest: "the manifest is no longer there"
    case .unreadable(let reason): "a run would refuse the manifest: \(reason)"
    case .notMade: "the manifest no longer makes it; 'imagemill run --prune' removes it"
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

  var text: String {
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
    var text = rows.map { "\($0.0.padded(to: 9)) \($0.1)\n" }.joined()
    for difference in differences {
      text += "\(difference.part)\n  was \(difference.before)\n  is  \(difference.now)\n"
    }
    return text
  }

  var json: String {
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
      let document = Document(
        file: entry.path, state: state.rawValue, manifest: entry.scope.manifest, key: entry.key.hex,
        recipe: recipe,
        today: verdict, differences: differences)
      return String(decoding: try JSONText.encoded(document, pretty: true), as: UTF8.self) + "\n"
    }
  }
}
