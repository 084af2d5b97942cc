import Glibc
import ImageCaches
import ImageDownloads
import ImageFilters
import ObjectStorage
import Synchronization
import SystemIO

/// The local files and the objects that a run reads. Outputs may not overwrite them, and pruning never removes them.
///
/// Files are compared by device and inode, following links, so that different paths and links to one file are
/// equal. This takes 16 bytes per file; a stream may have a million.
final class SourceFiles: Sendable {
  private struct State {
    var identities: Set<FileIdentity> = []
    /// Files that are read by what isn't run: an output may replace them if an earlier run has made them.
    var others: Set<FileIdentity> = []
    /// The addresses' digests: Swift would take texts with the same characters in other bytes for equal.
    var objects: Set<ContentDigest> = []
    /// Real paths that aren't written to the index yet.
    var pending: [String] = []
    var directories = RealDirectories()
    /// The outputs that took the place of files or objects of which no run is known to have made them.
    var replaced: Set<FileIdentity> = []
    var replacedObjects: Set<ContentDigest> = []
  }

  private let store: DiskStore
  /// Whether to record sources for later runs.
  private let records: Bool
  private let state = Mutex(State())
  private static let limit = 500

  /// Whether to note outputs that replace the files of others: a stream's later lines may name these as sources.
  let notesReplaced: Bool

  init(store: DiskStore, records: Bool = true, notesReplaced: Bool = false) {
    self.store = store
    self.records = records
    self.notesReplaced = notesReplaced
  }

  /// Notes that an output of this run replaced a file that no run is known to have made.
  func noteReplaced(_ status: stat) {
    let identity = FileIdentity(status)
    state.withLock { _ = $0.replaced.insert(identity) }
  }

  /// Notes that an output of this run replaced an object that no run is known to have made.
  func noteReplaced(_ object: ObjectAddress) {
    let digest = ContentDigest(hashing: object.description.utf8)
    state.withLock { _ = $0.replacedObjects.insert(digest) }
  }

  /// The path or address of the first source of a job that was replaced; nil if none was.
  func replacedSource(of job: Job) -> String? {
    guard state.withLock({ !$0.replaced.isEmpty || !$0.replacedObjects.isEmpty }) else { return nil }
    let file = job.localFiles.first { path in
      guard let identity = FileIdentity(path: path) else { return false }
      return state.withLock { $0.replaced.contains(identity) }
    }
    if let file { return file }
    let object = job.objects.first { object in
      let digest = ContentDigest(hashing: object.description.utf8)
      return state.withLock { $0.replacedObjects.contains(digest) }
    }
    return object?.description
  }

  /// Adds all local files that the jobs read.
  func add(_ jobs: [Job]) {
    for job in jobs {
      for path in job.localFiles { add(path) }
      let objects = job.objects
      guard !objects.isEmpty else { continue }
      state.withLock { state in
        for object in objects { state.objects.insert(ContentDigest(hashing: object.description.utf8)) }
      }
    }
  }

  /// Adds files that the run reads besides its jobs' sources, or that a line names which is no job.
  func add(files: [String]) {
    for path in files { add(path) }
  }

  /// Adds files that are read by what isn't run. Whether an earlier run has made them is looked at once an output has the
  /// place of one: they may be many.
  func protect(_ files: [String]) {
    let identities = files.compactMap { FileIdentity(path: $0) }
    state.withLock { $0.others.formUnion(identities) }
  }

  private func add(_ path: String) {
    var status = stat()
    guard lstat(path, &status) == 0 else { return }
    let isLink = status.st_mode & S_IFMT == S_IFLNK
    guard !isLink || stat(path, &status) == 0 else { return }
    let identity = FileIdentity(status)
    let isFull = state.withLock { state in
      guard state.identities.insert(identity).inserted, records,
        let real = isLink ? RealPath.of(path) : state.directories.path(ofEntry: path)
      else { return false }
      state.pending.append(real)
      return state.pending.count >= Self.limit
    }
    if isFull { flush() }
  }

  /// Whether the file at `path` is a source of this run.
  func contains(_ path: String) -> Bool {
    if let object = OutputDirectory.object(at: path) {
      return state.withLock { state in
        !state.objects.isEmpty && state.objects.contains(ContentDigest(hashing: object.description.utf8))
      }
    }
    // Most runs have no local sources. Don't spend a system call on each output.
    guard state.withLock({ !$0.identities.isEmpty || !$0.others.isEmpty }),
      let identity = FileIdentity(path: path)
    else { return false }
    let (isSource, isOther) = state.withLock {
      ($0.identities.contains(identity), $0.others.contains(identity))
    }
    return isSource || isOther && !PlaceMistakes.unmade([path], store: store).isEmpty
  }

  /// The paths, out of absolute `paths`, that are a source of this run or were one of any run.
  /// - Throws: `CacheError` if the index can't be read.
  func everSources(among paths: [String]) throws(CacheError) -> Set<String> {
    try store.sources(among: paths).union(paths.filter(contains))
  }

  /// Writes pending paths to the index.
  func flush() {
    let paths = state.withLock { state in
      defer { state.pending = [] }
      return state.pending
    }
    do throws(CacheError) {
      try store.recordSources(paths)
    } catch {
      store.noteRepair("the sources can't be recorded for pruning", error)
    }
  }
}

extension Job {
  /// The paths of the local files that the job reads.
  var localFiles: [String] { localImages + fontsAndProfiles }

  /// The paths of the sources, placeholders, overlays and masks that are local files. Standard input may be one too.
  var localImages: [String] { allSources.compactMap(\.localPath) }

  /// The paths of the font files and color profiles that the outputs name.
  var fontsAndProfiles: [String] { outputs.flatMap(\.fontsAndProfiles) }

  /// The addresses of the objects that the job reads.
  var objects: [ObjectAddress] { allSources.compactMap(\.objectAddress) }
}

extension ImageSource {
  /// The path of a local file, which standard input may be too; nil for other sources.
  package var localPath: String? {
    switch self {
    case .file(let path): path
    case .standardInput: "/dev/stdin"
    case .url, .data: nil
    }
  }
}

extension JobOutput {
  /// The paths of the font files and the color profile that the output names.
  package var fontsAndProfiles: [String] {
    let fonts = chain.fonts.filter(FontFile.isFile)
    guard case .file(let profile, _) = encoding.profile else { return fonts }
    return fonts + [profile]
  }
}
