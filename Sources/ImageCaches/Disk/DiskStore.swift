public import struct FoundationEssentials.URL
import Glibc
import Synchronization
import SystemIO

/// The disk cache: content-addressed objects, and an index.
///
/// All methods are thread-safe and block for disk access. Any number of processes may use one directory at once. An
/// object's bytes are checked against its digest before their first use in this process; a damaged object is removed
/// and noted in ``repairMessages``.
///
///     let store = try DiskStore(directory: URL(filePath: "/var/cache/imagemill"), capacity: 2 << 30)
///
/// An object's bytes are written to a file of the store first:
///
///     let temporary = try store.makeTemporaryFile()
///     try bytes.withUnsafeBytes { try temporary.write($0) }
///     let object = try store.insert(temporary, digest: digest)
public final class DiskStore: Sendable {
  /// The path of the cache directory, or of an ephemeral one.
  package let directory: String
  /// The total size of the objects, in bytes, above which this store starts a purge: the directory's limit when the
  /// store was opened, or more if the caller asked for more.
  public let capacity: Int
  /// The total size of the objects, in bytes, at which a purge ends.
  public let preferredUsageAfterPurge: Int
  /// Whether `directory` is read-only. New objects then go to a temporary directory, which is removed with this store.
  public let isReadOnly: Bool
  /// Whether nothing outlives this store, whose directory is removed with it.
  package let isEphemeral: Bool
  /// Whether the directory had no store before.
  package let isNew: Bool

  /// The directory that this store writes to.
  let layout: StoreLayout
  /// The read-only cache whose objects are used in place.
  let readOnlyLayout: StoreLayout?
  package let index: StoreIndex
  /// The locks of requests in flight; nil if no other process can use this store.
  package let requestLocks: RequestLocks?
  /// The directory of temporary files and pins.
  let processDirectory: ProcessDirectory
  private let scratch: ScratchDirectory?
  private let repairs: StoreRepairs
  let use = Mutex(StoreUse())
  let absentTables = Mutex(AbsentTables())

  /// The default directory: `$IMAGEMILL_CACHE_DIR`, else `$XDG_CACHE_HOME/imagemill`, else
  /// `~/.cache/imagemill`.
  ///
  /// A relative `$XDG_CACHE_HOME` is ignored (XDG Base Directory Specification).
  /// - Parameter environment: The environment variables, such as `ProcessInfo.processInfo.environment`.
  /// - Returns: nil if the environment has none of these variables, or `$HOME`.
  package static func defaultDirectory(environment: [String: String]) -> String? {
    func value(_ name: String) -> String? { environment[name].flatMap { $0.isEmpty ? nil : $0 } }
    if let directory = value("IMAGEMILL_CACHE_DIR") { return directory }
    // The XDG specification says to ignore relative paths.
    if let base = value("XDG_CACHE_HOME"), base.hasPrefix("/") { return base + "/imagemill" }
    return value("HOME").map { $0 + "/.cache/imagemill" }
  }

  /// Whether a directory has a store.
  package static func exists(in directory: String) -> Bool {
    Directory.exists(at: StoreLayout(root: directory).objects)
  }

  /// Opens a store in a directory, which is created if missing. The index is opened at first use.
  ///
  /// - Parameters:
  ///   - directory: The path of the directory. If it is read-only, new objects go to a temporary directory.
  ///   - capacity: The size in bytes above which a purge of the least recently used objects starts. It becomes the
  ///     limit of a directory that is created; it can't lower the limit of one that exists, which other processes
  ///     rely on (``setLimit(_:)`` does). Default: the directory's limit, initially 2 GiB.
  ///   - preferredUsageAfterPurge: The size in bytes at which a purge ends, at most `capacity`. Default: 60 %
  ///     of it.
  /// - Throws: `CacheError`: `cache-file` if the directory can't be created or read, or has files of others, `cache-capacity` if the
  ///   sizes contradict each other.
  public convenience init(
    directory: URL, capacity: Int? = nil, preferredUsageAfterPurge: Int? = nil
  ) throws(CacheError) {
    try self.init(
      directory: directory.path(percentEncoded: false), capacity: capacity,
      preferredUsageAfterPurge: preferredUsageAfterPurge)
  }

  /// Opens a store in a directory, which is created if missing. The index is opened at first use.
  ///
  /// - Parameters:
  ///   - directory: the path of the directory.
  ///   - capacity: The size in bytes above which a purge starts, as above.
  ///   - preferredUsageAfterPurge: the size in bytes at which a purge ends, at most `capacity` (default: 60 % of it).
  /// - Throws: `CacheError` if the directory can't be created, or the sizes contradict each other.
  package convenience init(
    directory: String, capacity: Int? = nil, preferredUsageAfterPurge: Int? = nil
  ) throws(CacheError) {
    let isReadOnly = access(directory, F_OK) == 0 && access(directory, W_OK) != 0
    try self.init(
      directory: directory, scratch: isReadOnly ? ScratchDirectory() : nil, isReadOnly: isReadOnly,
      capacity: capacity, preferredUsageAfterPurge: preferredUsageAfterPurge)
  }

  /// Whether a message, or the path in it, is about a store in a temporary directory.
  package static func isTemporary(placeIn message: String) -> Bool {
    message.contains("/\(ScratchDirectory.prefix)")
  }

  /// Creates a store in a temporary directory, which is removed with the store (`--no-cache`).
  /// - Throws: `CacheError` if the directory can't be created.
  public static func ephemeral() throws(CacheError) -> DiskStore {
    let scratch = try ScratchDirectory()
    return try DiskStore(
      directory: scratch.path, scratch: scratch, isReadOnly: false, capacity: Int.max,
      preferredUsageAfterPurge: nil)
  }

  /// Reads a directory that doesn't exist as an empty store. New objects go to a temporary directory.
  /// - Parameter directory: The path of the directory, which isn't created.
  /// - Throws: `CacheError` if the temporary directory can't be created.
  package static func absent(_ directory: String) throws(CacheError) -> DiskStore {
    try DiskStore(
      directory: directory, scratch: ScratchDirectory(), isReadOnly: false, capacity: nil,
      preferredUsageAfterPurge: nil)
  }

  private init(
    directory: String, scratch: ScratchDirectory?, isReadOnly: Bool, capacity wanted: Int?,
    preferredUsageAfterPurge: Int?
  ) throws(CacheError) {
    let isNew = !Self.exists(in: directory)
    let repairs = StoreRepairs()
    var limit: Int?
    if scratch == nil || isReadOnly {
      limit = try CacheLimit.read(StoreLayout(root: directory)) { repairs.note(StoreRepair(message: $0)) }
    }
    let capacity =
      isNew ? wanted ?? limit ?? CacheLimit.initial : max(wanted ?? 0, limit ?? CacheLimit.initial)
    let preferred = preferredUsageAfterPurge ?? capacity / 10 * 6
    guard capacity >= 0, preferred >= 0, preferred <= capacity else {
      throw CacheError(
        code: .badCapacity, .request,
        message: "the cache's capacity must be greater than or equal to its preferred usage after a purge")
    }
    self.directory = directory
    self.isNew = isNew
    self.capacity = capacity
    self.preferredUsageAfterPurge = preferred
    self.isReadOnly = isReadOnly
    self.scratch = scratch
    layout = StoreLayout(root: scratch?.path ?? directory)
    readOnlyLayout = isReadOnly ? StoreLayout(root: directory) : nil
    requestLocks = scratch == nil ? RequestLocks(path: layout.requestLocks) : nil
    processDirectory = ProcessDirectory(layout: layout)
    self.repairs = repairs
    isEphemeral = scratch != nil && !isReadOnly
    index = StoreIndex(layout: layout, storage: scratch == nil ? .shared : isReadOnly ? .own : .temporary) {
      repairs.note(StoreRepair(message: $0))
    }
    if scratch == nil { try layout.refuseForeign() }
    try layout.make()
    if isNew, let wanted, scratch == nil { try CacheLimit.write(wanted, to: layout) }
    if let readOnlyLayout {
      try Self.copyIndex(from: readOnlyLayout, to: layout)
    } else if scratch == nil {
      try ProcessDirectory.removeDead(in: layout)
    }
  }

  deinit { close() }

  /// Saves the times of last use and closes the index. The store stays usable.
  public func close() {
    do {
      try flushUse()
    } catch {
      // This affects only the order of the next purge.
      noteRepair("can't save when cache objects were last used", error)
    }
    index.close()
    processDirectory.close()
  }

  /// Closes the store, and removes its temporary files, and an ephemeral one's directory, even if something still refers
  /// to them: a process that exits releases nothing. Don't use the store afterwards.
  package func end() {
    close()
    removeTemporaries()
  }

  /// Removes temporary files, pins, and an ephemeral store's directory, without waiting for calls in progress: for a process
  /// that ends at once. Don't use the store afterwards.
  package func removeTemporaries() {
    processDirectory.remove()
    scratch?.remove()
  }

  /// The first repairs, one sentence each. A repair beyond the thousandth is only reported to ``onRepair(_:)``.
  public var repairMessages: [String] { repairs.notes.map(\.message) }

  /// Calls a function for the past repairs of ``repairMessages`` and for every future one. Only the last registered
  /// function is called.
  /// - Parameter report: Receives a repair, on the thread that notes it. Past repairs are reported before
  ///   this returns.
  public func onRepair(_ report: @escaping @Sendable (StoreRepair) -> Void) {
    repairs.observe(report)
  }

  package func noteRepair(_ sentence: String) { repairs.note(StoreRepair(message: sentence)) }

  /// Notes a failure that affects no output, as `consequence: error`.
  package func noteRepair(_ consequence: String, _ error: CacheError) {
    repairs.note(StoreRepair(message: "\(consequence): \(error.message)", error: error))
  }

  /// Notes a failure that affects no output.
  package func noteRepair(_ error: CacheError) {
    repairs.note(StoreRepair(message: error.message, error: error))
  }

  /// Copies a read-only cache's index: SQLite can't read a WAL database in a directory that it can't write to.
  private static func copyIndex(from source: StoreLayout, to target: StoreLayout) throws(CacheError) {
    for suffix in ["", "-wal"] {
      guard let from = try FileDescriptor.open(source.index + suffix, O_RDONLY),
        let to = try FileDescriptor.open(target.index + suffix, O_WRONLY | O_CREAT | O_TRUNC)
      else { continue }
      do throws(SystemError) { try FileIO.copy(from: from.number, to: to.number) } catch {
        throw .file("copy", source.index + suffix, errno: error.code)
      }
    }
  }
}

/// A repair of the store, or a failure that affects no output.
public struct StoreRepair: Sendable, Hashable {
  /// The event in one sentence, such as a damaged object that will be recreated.
  public var message: String
  /// The underlying failure, whose message ends ``message``; nil if nothing failed.
  public var error: CacheError?
}

final class StoreRepairs: Sendable {
  private struct State {
    var notes: [StoreRepair] = []
    var observer: (@Sendable (StoreRepair) -> Void)?
  }

  private let state = Mutex(State())
  /// On a full disk, each lookup notes a failure, and a server makes any number of lookups.
  private static let limit = 1000

  var notes: [StoreRepair] { state.withLock(\.notes) }

  func note(_ repair: StoreRepair) {
    let observer = state.withLock { state in
      if state.notes.count < Self.limit { state.notes.append(repair) }
      return state.observer
    }
    observer?(repair)
  }

  func observe(_ observer: @escaping @Sendable (StoreRepair) -> Void) {
    let past = state.withLock { state in
      state.observer = observer
      return state.notes
    }
    past.forEach(observer)
  }
}
