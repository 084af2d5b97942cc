import FoundationEssentials
import Glibc
import ImageCaches
import Synchronization

/// What is written down of the files that a run has put in place: whose they are, and what they were made from.
///
/// Of files that are as they were in the last run nothing is written, and a few hundred are looked up at once.
final class OutputLedger: Sendable {
  fileprivate struct Note: Sendable {
    var path: String
    var manifest: String
    var digest: ContentDigest
    var key: ContentDigest
    var recipe: @Sendable () -> OutputRecipe?
  }

  fileprivate struct State {
    var notes: [Note] = []
    /// Paths with all links gone through, by directory as it is written.
    var directories: [String: String] = [:]
    var manifests: [String: String] = [:]
    /// Hashes of the paths of this run, where they are wanted.
    var seen: Set<Int> = []
  }

  private let store: DiskStore
  private let remembersPaths: Bool
  private let state = Mutex(State())
  private static let limit = 500

  /// - Parameter remembersPaths: Whether ``stale(in:)`` will be asked for.
  init(store: DiskStore, remembersPaths: Bool) {
    self.store = store
    self.remembersPaths = remembersPaths
  }

  /// Notes a file that is in place. One that was made for standard input's jobs belongs to no manifest, and isn't noted.
  func note(_ planned: PlannedOutput, _ digest: ContentDigest) {
    guard let location = planned.location, let key = planned.key,
      let file = planned.job.manifest ?? (planned.output.location ?? planned.job.location)?.file, file != "-"
    else { return }
    let isFull = state.withLock { state in
      guard let path = state.realPath(of: location), let manifest = state.realManifest(file) else {
        return false
      }
      if remembersPaths { state.seen.insert(path.hashValue) }
      state.notes.append(
        Note(path: path, manifest: manifest, digest: digest, key: key, recipe: { planned.recipe }))
      return state.notes.count >= Self.limit
    }
    if isFull { flush() }
  }

  /// Writes down what is new.
  func flush() {
    let notes = state.withLock { state in
      defer { state.notes = [] }
      return state.notes
    }
    guard !notes.isEmpty else { return }
    do throws(CacheError) {
      let known = try store.ledgerMarks(ofPaths: notes.map(\.path))
      try store.enter(
        notes.compactMap { note in
          if let mark = known[note.path], mark.key == note.key, mark.manifest == note.manifest { return nil }
          return LedgerEntry(
            path: note.path, manifest: note.manifest, digest: note.digest, key: note.key,
            recipe: note.recipe()?.json ?? "{}")
        })
    } catch {
      store.noteRepair("what was written can't be remembered for --prune: \(error.message)")
    }
  }

  /// The files that earlier runs have made for the manifests and this one hasn't.
  func stale(in manifests: [String]) throws(CacheError) -> [LedgerEntry] {
    var stale: [LedgerEntry] = []
    for manifest in manifests {
      guard let real = state.withLock({ $0.realManifest(manifest) }) else { continue }
      let entries = try store.ledger(ofManifest: real)
      stale += state.withLock { state in entries.filter { !state.seen.contains($0.path.hashValue) } }
    }
    return stale
  }

  /// A path as the ledger has it: absolute, with the links of its directories gone through. Nil where the directory
  /// isn't there.
  static func realPath(of path: String) -> String? {
    var state = State()
    return state.realPath(of: path)
  }
}

extension OutputLedger.State {
  fileprivate mutating func realPath(of location: String) -> String? {
    let slash = location.lastIndex(of: "/")
    let directory = slash.map { $0 == location.startIndex ? "/" : String(location[..<$0]) } ?? "."
    let name = slash.map { location[location.index(after: $0)...] } ?? location[...]
    if let known = directories[directory] { return "\(known)/\(name)" }
    guard let real = resolved(directory) else { return nil }
    // There are few directories, but a stream has no end.
    if directories.count > 10_000 { directories = [:] }
    directories[directory] = real == "/" ? "" : real
    return "\(real == "/" ? "" : real)/\(name)"
  }

  fileprivate mutating func realManifest(_ file: String) -> String? {
    if let known = manifests[file] { return known }
    let real = resolved(file)
    manifests[file] = real
    return real
  }

  private func resolved(_ path: String) -> String? {
    guard let resolved = realpath(path, nil) else { return nil }
    defer { free(resolved) }
    return String(cString: resolved)
  }
}

extension OutputRecipe {
  /// As the ledger keeps it.
  var json: String? {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    // Digests and texts: there is nothing that JSON can't hold.
    return (try? encoder.encode(self)).map { String(decoding: $0, as: UTF8.self) }
  }

  /// What the ledger has kept; nil for what another version has written.
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
