import FoundationEssentials
import ImageCaches
import ObjectStorage
import Synchronization
import SystemIO

/// Records the files that runs have written: their scopes and recipes.
///
/// Files that are unchanged since the last run need no new entry. To find them, several hundred are looked up
/// at once.
final class OutputRegistry: Sendable {
  fileprivate struct Note: Sendable {
    var path: String
    var scope: OutputScope
    var digest: ContentDigest
    var key: ContentDigest
    var recipe: @Sendable () -> OutputRecipe?
  }

  fileprivate struct State {
    var notes: [Note] = []
    /// Of output directories, roots and manifests.
    var directories = RealDirectories()
    /// Hashes of this run's output paths; empty unless `remembersPaths` is set.
    var seen: Set<Int> = []
  }

  private let store: DiskStore
  private let template: String
  private let remembersPaths: Bool
  /// When this run began, in seconds since 1970.
  let began: Double
  private let state = Mutex(State())
  private static let limit = 500

  /// - Parameters:
  ///   - template: The command line's output template; empty if there is none.
  ///   - remembersPaths: Whether to collect this run's paths for ``stale(in:)``.
  ///   - began: When this run began, in seconds since 1970. Default: now.
  init(store: DiskStore, template: String, remembersPaths: Bool, began: Double = SystemTime.now) {
    self.began = began
    self.store = store
    self.template = template
    self.remembersPaths = remembersPaths
  }

  /// Notes a file that is in place.
  /// - Returns: Whether ``flush()``, which may block, is due.
  func note(_ planned: PlannedOutput, _ digest: ContentDigest) -> Bool {
    guard let location = planned.location, let key = planned.key else { return false }
    let manifest = planned.job.manifest ?? (planned.output.location ?? planned.job.location)?.file ?? "-"
    return state.withLock { state in
      guard let path = state.realPath(ofEntry: location),
        let scope = state.scope(manifest: manifest, directory: planned.directory.root, template)
      else { return false }
      if remembersPaths { state.seen.insert(path.hashValue) }
      state.notes.append(
        Note(path: path, scope: scope, digest: digest, key: key, recipe: { planned.recipe }))
      return state.notes.count >= Self.limit
    }
  }

  /// Remembers a file that this run keeps as it is: it is no longer this run's, and isn't stale.
  func remember(_ location: String) {
    guard remembersPaths else { return }
    state.withLock { state in
      if let path = state.realPath(ofEntry: location) { _ = state.seen.insert(path.hashValue) }
    }
  }

  /// Writes pending entries that are new or changed to the index.
  func flush() {
    let notes = state.withLock { state in
      defer { state.notes = [] }
      return state.notes
    }
    guard !notes.isEmpty else { return }
    do throws(CacheError) {
      let known = try store.registrySummaries(ofPaths: notes.map(\.path))
      try store.register(
        notes.compactMap { note in
          if let mark = known[note.path], mark.key == note.key, mark.scope == note.scope { return nil }
          return RegistryEntry(
            path: note.path, scope: note.scope, digest: note.digest, key: note.key,
            recipe: note.recipe()?.json ?? "{}", began: began)
        })
    } catch {
      store.noteRepair("written files can't be recorded for pruning", error)
    }
  }

  /// The files that earlier runs of the scopes wrote and this run didn't. Scopes may name their manifests and
  /// directories by any path.
  /// - Throws: `CacheError` if the index can't be read.
  func stale(in scopes: [OutputScope]) throws(CacheError) -> [RegistryEntry] {
    var stale: [RegistryEntry] = []
    var visited: Set<OutputScope> = []
    for scope in scopes {
      // A directory that doesn't exist contains nothing to remove.
      guard
        let real = state.withLock({
          $0.scope(manifest: scope.manifest, directory: scope.directory, scope.template)
        }), visited.insert(real).inserted
      else { continue }
      let entries = try store.registry(of: real)
      // Only files are removed: it isn't known who else uses an object.
      let files = entries.filter { !ObjectAddress.isAddress($0.path) }
      let seen = state.withLock(\.seen)
      stale += files.filter { file in
        if seen.contains(file.path.hashValue) { return false }
        // Its directory may have moved, with a link in the old place.
        return RealPath.ofEntry(file.path).map { !seen.contains($0.hashValue) } ?? true
      }
    }
    return stale
  }
}

extension OutputRegistry.State {
  /// The path in the registry's form: absolute, with the links of its directory resolved; nil if the
  /// directory doesn't exist.
  fileprivate mutating func realPath(ofEntry location: String) -> String? {
    ObjectAddress.isAddress(location) ? location : directories.path(ofEntry: location)
  }

  fileprivate mutating func scope(manifest: String, directory: String, _ template: String) -> OutputScope? {
    guard let manifest = manifest == "-" ? "-" : realPath(of: manifest),
      let directory = realPath(of: directory.isEmpty ? "." : directory)
    else { return nil }
    return OutputScope(manifest: manifest, directory: directory, template: template)
  }

  private mutating func realPath(of path: String) -> String? {
    ObjectAddress.isAddress(path) ? path : directories.path(of: path)
  }
}

extension OutputRecipe {
  /// The recipe's form in the registry.
  var json: String? {
    // Digests and strings always encode as JSON.
    return (try? JSONText.encoded(self)).map { String(decoding: $0, as: UTF8.self) }
  }

  /// Parses a recipe from the registry; nil if the text isn't a recipe of this version.
  /// - Parameter json: The recipe as JSON text.
  public init?(json: String) {
    guard let recipe = try? JSONDecoder().decode(OutputRecipe.self, from: Array(json.utf8).data) else {
      return nil
    }
    self = recipe
  }
}

extension [UInt8] {
  fileprivate var data: Data { Data(self) }
}
