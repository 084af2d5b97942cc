import ArgumentParser
import ImageBatch
import ImageCaches
import Manifests
import Reports
import SystemIO

extension CacheCommand {
  /// Explains how an output was made and what a run would change.
  struct Explain: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Show what a file was made from, and what has changed since it was made.",
      discussion: """
        The file's manifest is read again; nothing is downloaded. Repeat the options of the run, such as \
        --allow-net, or -f if the manifest is a list. The command exits 1 if no known run made the file.

          imagemill cache explain public/hero.webp
        """)

    @Argument(help: "A file that a run has written.", completion: .file())
    var output: String

    @Flag(help: "Print one JSON object.") var json = false
    @OptionGroup var place: Place
    @OptionGroup(title: "Jobs") var jobs: JobOptions
    @OptionGroup(title: "Downloads") var downloads: DownloadOptions

    func run() async throws {
      let explanation = try await explanation()
      try StandardOutput.write(json ? try explanation.json : explanation.text)
    }

    private func explanation() async throws -> Explanation {
      let store = try place.openStore(creates: false)
      defer { store.close() }
      do {
        guard let entry = try store.registryEntry(at: output) else {
          throw CommandError(
            .failed,
            "no known run made \(output): it was made with another cache directory, by 'imagemill convert SOURCE "
              + "OUTPUT', or by another program")
        }
        return try await Explanation(
          entry, today: today(entry), state: RegistryLookup(store: store).state(of: entry),
          removal: Remedies.removal)
      } catch let error as CacheError {
        throw CommandError(.failed, error.messageWithRemedy(canDoWithout: false))
      }
    }

    /// The manifest's current plan for the file.
    private func today(_ entry: RegistryEntry) async throws -> Explanation.Today {
      if entry.scope.manifest == "-" { return .unknown }
      guard File.exists(entry.scope.manifest) else { return .noManifest }
      var jobs = jobs
      jobs.template = jobs.template ?? (entry.scope.template.isEmpty ? nil : entry.scope.template)
      jobs.outputDirectory = jobs.outputDirectory ?? entry.scope.directory
      let input: JobSelection
      do {
        input = try jobs.read([entry.scope.manifest])
      } catch let error as ManifestCommandError {
        return .unreadable(error.errors.diagnostics.first?.description ?? "it has mistakes")
      }
      var planning = Planning(
        downloads: downloads, cache: place.settings, allowsOutside: jobs.arguments.allowOutside)
      planning.isCheck = true
      let plan = try await planning.plan(input).plan
      let entries = plan.entries.filter { $0.realPath == entry.path }
      guard let found = entries.first else { return .notMade }
      return .made(found)
    }
  }
}
