import Glibc
import Synchronization
import SystemIO

/// The cache on disk: content-addressed bytes, and an index of what they are.
///
/// All functions may be called from any thread and block for as long as the disk takes. Any number of processes may use one
/// directory at once. An object's bytes are checked against its digest before their first use in this process; a bad one is dropped, said in ``mended``, and made again by whoever needs it.
///
///     let store = try DiskStore(directory: "/var/cache/imagemill", capacity: 2 << 30)
///     let temporary = try store.makeTemporaryFile()
///     try temporary.write(bytes)
///     let object = try store.insert(temporary, digest: digest)
public final class DiskStore: Sendable {
  /// The directory that was named, or the ephemeral one.
  public let directory: String
  /// The objects' total size that starts a purge when it is exceeded, in bytes.
  public let capacity: Int
  /// The size at which a purge ends, in bytes.
  public let preferredUsageAfterPurge: Int
  /// Whether `directory` can only be read: what is stored goes to a directory of its own that ends with this store.
  public let isReadOnly: Bool

  /// Where this store writes.
  let layout: StoreLayout
  /// A read-only cache whose objects are used where they are.
  let readOnlyLayout: StoreLayout?
  package let index: StoreIndex
  /// Which requests are under way; nil for a store that no other process uses.
  package let requestLocks: RequestLocks?
  /// Where its temporary files and pins are.
  let processDirectory: ProcessDirectory
  private let scratch: ScratchDirectory?
  private let repairs: StoreRepairs
  let use = Mutex(StoreUse())

  /// The default directory: `$IMAGEMILL_CACHE_DIR`, else `$XDG_CACHE_HOME/imagemill`, else `~/.cache/imagemill`;
  /// nil where the environment names none of them.
  public static func defaultDirectory(environment: [String: String]) -> String? {
    func value(_ name: String) -> String? { environment[name].flatMap { $0.isEmpty ? nil : $0 } }
    if let directory = value("IMAGEMILL_CACHE_DIR") { return directory }
    // The XDG specification has relative paths ignored.
    if let base = value("XDG_CACHE_HOME"), base.hasPrefix("/") { return base + "/imagemill" }
    return value("HOME").map { $0 + "/.cache/imagemill" }
  }

  /// A store in `directory`, which is made where it is missing. The index is opened at first use.
  ///
  /// - Parameters:
  ///   - directory: a path.
  ///   - capacity: bytes of objects; more starts a purge of the least recently used.
  ///   - preferredUsageAfterPurge: bytes at which a purge ends; 60 % of the capacity where nil. No more than `capacity`.
  /// - Throws: `CacheError` where the directory can't be made, or the sizes contradict each other.
  public convenience init(
    directory: String, capacity: Int = 2 << 30, preferredUsageAfterPurge: Int? = nil
  ) throws(CacheError) {
    let isReadOnly = access(directory, F_OK) == 0 && access(directory, W_OK) != 0
    try self.init(
      directory: directory, scratch: isReadOnly ? ScratchDirectory() : nil, isReadOnly: isReadOnly,
      capacity: capacity, preferredUsageAfterPurge: preferredUsageAfterPurge)
  }

  /// A store in a directory of its own that is removed with it: what `--no-cache` uses.
  public static func ephemeral() throws(CacheError) -> DiskStore {
    let scratch = try ScratchDirectory()
    return try DiskStore(
      directory: scratch.path, scratch: scratch, isReadOnly: false, capacity: Int.max,
      preferredUsageAfterPurge: nil)
  }

  private init(
    directory: String, scratch: ScratchDirectory?, isReadOnly: Bool, capacity: Int,
    preferredUsageAfterPurge: Int?
  ) throws(CacheError) {
    let preferred = preferredUsageAfterPurge ?? capacity / 10 * 6
    guard capacity >= 0, preferred >= 0, preferred <= capacity else {
      throw CacheError(
        code: .badCapacity, .request,
        message: "the cache's capacity must be greater than or equal to its preferred usage after a purge")
    }
    self.directory = directory
    self.capacity = capacity
    self.preferredUsageAfterPurge = preferred
    self.isReadOnly = isReadOnly
    self.scratch = scratch
    layout = StoreLayout(root: scratch?.path ?? directory)
    readOnlyLayout = isReadOnly ? StoreLayout(root: directory) : nil
    requestLocks = scratch == nil ? RequestLocks(path: layout.requestLocks) : nil
    processDirectory = ProcessDirectory(layout: layout)
    let repairs = StoreRepairs()
    self.repairs = repairs
    index = StoreIndex(layout: layout) { repairs.note(StoreRepair(message: $0)) }
    try layout.make()
    if let readOnlyLayout {
      try Self.copyIndex(from: readOnlyLayout, to: layout)
    } else if scratch == nil {
      try ProcessDirectory.removeDead(in: layout)
    }
  }

  deinit { close() }

  /// Writes down what was used, and closes the index. The store stays usable.
  public func close() {
    do {
      try flushUse()
    } catch {
      // Only the order of the next purge suffers.
      noteRepair("the cache's times of last use could not be written", error)
    }
    index.close()
    processDirectory.close()
  }

  /// What was found damaged and mended so far, a sentence each.
  public var mended: [String] { repairs.notes.map(\.message) }

  /// Has `report` called with everything of ``mended``, that of the past included.
  public func onMend(_ report: @escaping @Sendable (StoreRepair) -> Void) {
    repairs.observe(report)
  }

  package func noteRepair(_ sentence: String) { repairs.note(StoreRepair(message: sentence)) }

  /// Notes what failed and cost no output: `consequence: error`.
  package func noteRepair(_ consequence: String, _ error: CacheError) {
    repairs.note(StoreRepair(message: "\(consequence): \(error.message)", error: error))
  }

  /// Notes what failed and cost no output.
  package func noteRepair(_ error: CacheError) {
    repairs.note(StoreRepair(message: error.message, error: error))
  }

  /// SQLite can't read a WAL index where it can't write beside it, so a read-only cache's index is copied.
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

/// What was mended, and who wants to hear of it.
/// Something about the store that was damaged or failed, and that no output depends on.
public struct StoreRepair: Sendable, Hashable {
  /// One sentence.
  public var message: String
  /// The failure behind it, whose message ``message`` ends with.
  public var error: CacheError?
}

final class StoreRepairs: Sendable {
  private struct State {
    var notes: [StoreRepair] = []
    var observer: (@Sendable (StoreRepair) -> Void)?
  }

  private let state = Mutex(State())

  var notes: [StoreRepair] { state.withLock(\.notes) }

  func note(_ repair: StoreRepair) {
    let observer = state.withLock { state in
      state.notes.append(repair)
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
