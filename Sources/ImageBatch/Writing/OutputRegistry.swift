import FoundationEssentials
import ImageCaches
import Synchronization
import SystemIO

/// The record of the files that runs have put in place: which runs they belong to, and what they were made from.
///
/// A file that is as it was in the last run needs no new record, and a few hundred are looked up at once.
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
    /// Resolved paths, by the path as it is written: outputs' directories and roots, and manifests.
    var resolved: [String: String] = [:]
    /// Hashes of the paths of this run, where they are needed.
    var seen: Set<Int> = []
  }

  private let store: DiskStore
  private let template: String
  private let remembersPaths: Bool
  /// When this run began, in seconds since 1970.
  let began = SystemTime.now
  private let state = Mutex(State())
  private static let limit = 500

  /// - Parameters:
  ///   - template: The template given beside the manifests; empty where there is none.
  ///   - remembersPaths: Whether ``stale(in:)`` will be asked for.
  init(store: DiskStore, template: String, remembersPaths: Bool) {
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

  /// Writes down what is new.
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

  /// The files that earlier runs of the scopes have made and this one hasn't. Scopes may be given by any paths of their
  /// manifests and directories.
  func stale(in scopes: [OutputScope]) throws(CacheError) -> [RegistryEntry] {
    var stale: [RegistryEntry] = []
    var visited: Set<OutputScope> = []
    for scope in scopes {
      // A directory that isn't there holds nothing to remove.
      guard
        let real = state.withLock({
          $0.scope(manifest: scope.manifest, directory: scope.directory, scope.template)
        }), visited.insert(real).inserted
      else { continue }
      let entries = try store.registry(of: real)
      stale += state.withLock { state in entries.filter { !state.seen.contains($0.path.hashValue) } }
    }
    return stale
  }
}

extension OutputRegistry.State {
  /// A path as the registry has it: absolute, with the links of its directories resolved. Nil where the directory isn't
  /// there.
  fileprivate mutating func realPath(ofEntry location: String) -> String? {
    let entry = DirectoryEntry(location)
    return realPath(of: entry.directory).map(entry.path(in:))
  }

  fileprivate mutating func scope(manifest: String, directory: String, _ template: String) -> OutputScope? {
    guard let manifest = manifest == "-" ? "-" : realPath(of: manifest),
      let directory = realPath(of: directory.isEmpty ? "." : directory)
    else { return nil }
    return OutputScope(manifest: manifest, directory: directory, template: template)
  }

  private mutating func realPath(of path: String) -> String? {
    if let known = resolved[path] { return known }
    guard let real = RealPath.of(path) else { return nil }
    // There are few directories, but a stream has no end.
    if resolved.count > 10_000 { resolved = [:] }
    resolved[path] = real
    return real
  }
}

extension OutputRecipe {
  /// As the registry keeps it.
  var json: String? {
    // Digests and texts: there is nothing that JSON can't hold.
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
