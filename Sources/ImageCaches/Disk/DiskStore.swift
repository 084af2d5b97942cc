import Glibc
public import GRDB
import Synchronization

/// The cache's directory: content-addressed objects, and an index of what is known of them (DESIGN.md, "On disk").
///
/// Any number of processes may use one directory at once. An object is verified against its digest before its first
/// use in a run; a bad one is dropped. When the objects' size passes ``capacity``, the least recently used go until
/// ``preferredUsageAfterPurge`` is met: the two numbers of `AutoPurgingImageCache`.
///
/// Its calls block on the disk: they belong on a thread of the caller's own.
public final class DiskStore: Sendable {
  /// The directory.
  public let directory: String
  /// In bytes.
  public let capacity: Int
  /// In bytes.
  public let preferredUsageAfterPurge: Int
  /// Whether nothing is kept from run to run.
  public let isEphemeral: Bool
  /// Whether the directory can't be written: what is in it is used, and nothing is added.
  public let isReadOnly: Bool

  let index: StoreIndex
  let session: SessionDirectory
  /// What makes ``session`` and the index of a read-only store; removed at the end.
  private let scratch: String?
  let memory = Mutex(Memory())
  private let fileNumber = Atomic<Int>(0)
  private let notify: @Sendable (CacheNotice) -> Void

  /// What this run knows without asking the disk.
  struct Memory {
    /// Objects that this run has verified or written.
    var verified: Set<ContentDigest> = []
    /// Objects and outputs used since the index was last told.
    var usedObjects: Set<ContentDigest> = []
    var usedOutputs: Set<ContentDigest> = []
    /// Stamps that the index hasn't been told.
    var newStamps: [String: (stamp: FileStamp, digest: ContentDigest)] = [:]
  }

  /// Opens the store in `directory`, which is made if it isn't there. `notices` is told what was mended.
  public convenience init(
    directory: String, capacity: Int = 2 << 30, preferredUsageAfterPurge: Int? = nil,
    notices: @escaping @Sendable (CacheNotice) -> Void = { _ in }
  ) throws(CacheError) {
    do throws(CacheError) {
      try FileTree.make(directory)
      try FileTree.make(directory + "/objects")
      try FileTree.make(directory + "/tmp")
    } catch {
      guard access(directory + "/objects", R_OK | X_OK) == 0 else { throw error }
    }
    let isReadOnly = access(directory, W_OK) != 0 || access(directory + "/tmp", W_OK) != 0
    let scratch = isReadOnly ? try Self.makeScratch() : nil
    try self.init(
      directory: directory, scratch: scratch, capacity: capacity,
      preferredUsageAfterPurge: preferredUsageAfterPurge ?? capacity / 10 * 6, isEphemeral: false,
      isReadOnly: isReadOnly, notices: notices)
  }

  /// A store that is gone when it is closed: a directory of its own below `$TMPDIR`, the index in memory.
  public static func ephemeral() throws(CacheError) -> DiskStore {
    let scratch = try makeScratch()
    try FileTree.make(scratch + "/objects")
    return try DiskStore(
      directory: scratch, scratch: scratch, capacity: .max, preferredUsageAfterPurge: .max, isEphemeral: true,
      isReadOnly: false, notices: { _ in })
  }

  private init(
    directory: String, scratch: String?, capacity: Int, preferredUsageAfterPurge: Int, isEphemeral: Bool,
    isReadOnly: Bool, notices: @escaping @Sendable (CacheNotice) -> Void
  ) throws(CacheError) {
    self.directory = directory
    self.scratch = scratch
    self.capacity = capacity
    self.preferredUsageAfterPurge = min(capacity, preferredUsageAfterPurge)
    self.isEphemeral = isEphemeral
    self.isReadOnly = isReadOnly
    notify = notices
    let temporary = (scratch ?? directory) + "/tmp"
    try FileTree.make(temporary)
    SessionDirectory.removeDead(in: temporary)
    session = try SessionDirectory(in: temporary)
    let indexPath = (isReadOnly ? scratch ?? directory : directory) + "/index.sqlite"
    if isReadOnly { Self.copyIndex(from: directory + "/index.sqlite", to: indexPath) }
    index = StoreIndex(path: isEphemeral ? nil : indexPath, notice: notices) { database in
      try ObjectFiles.register(all: directory, in: database)
    }
    if !isReadOnly && !isEphemeral { Self.tag(directory) }
  }

  /// Tells the index what is still to be told, and removes what was temporary. The store isn't used afterwards.
  public func close() {
    flush()
    index.close()
    session.remove()
    if let scratch { FileTree.remove(scratch) }
  }

  /// A new file to write into, on the objects' file system.
  public func makeTemporaryFile() throws(CacheError) -> TemporaryFile {
    let number = fileNumber.wrappingAdd(1, ordering: .relaxed).oldValue
    return TemporaryFile(path: "\(session.path)/\(number)")
  }

  /// Adds tables of another module's to the index: statements that may be run again and again (`IF NOT EXISTS`).
  public func addSchema(_ statements: String) throws(CacheError) { try index.add(schema: statements) }

  /// Reads the index.
  public func readIndex<Value>(_ body: (Database) throws -> Value) throws(CacheError) -> Value {
    try index.read(body)
  }

  /// Changes the index, in one transaction.
  public func writeIndex<Value>(_ body: (Database) throws -> Value) throws(CacheError) -> Value {
    try index.write(body)
  }

  /// Tells whoever listens.
  func notice(_ message: String) { notify(CacheNotice(message: message)) }

  /// Tells the index which objects were used when, and what was hashed.
  public func flush() {
    let (objects, outputs, stamps) = memory.withLock { memory in
      defer {
        memory.usedObjects = []
        memory.usedOutputs = []
        memory.newStamps = [:]
      }
      return (memory.usedObjects, memory.usedOutputs, memory.newStamps)
    }
    guard !objects.isEmpty || !outputs.isEmpty || !stamps.isEmpty else { return }
    let now = FileStamp.now
    do throws(CacheError) {
      try index.write { database in
        for digest in objects {
          try database.cachedStatement(sql: "UPDATE object SET lastUse = ? WHERE digest = ?")
            .execute(arguments: [now, digest.hex])
        }
        for key in outputs {
          try database.cachedStatement(sql: "UPDATE output SET lastUse = ? WHERE key = ?")
            .execute(arguments: [now, key.hex])
        }
        try FileStampRows.insert(stamps, in: database)
      }
    } catch {
      notice(error.message)
    }
  }

  private static func makeScratch() throws(CacheError) -> String {
    let parent = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
    var template = Array("\(parent)/imagemill-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { throw CacheError("create a directory in \(parent)", errno: errno) }
    return template.withUnsafeBufferPointer { buffer in
      buffer.baseAddress.map { String(cString: $0) } ?? parent
    }
  }

  private static func copyIndex(from source: String, to destination: String) {
    for suffix in ["", "-wal"] {
      let input = open(source + suffix, O_RDONLY | O_CLOEXEC)
      guard input >= 0 else { continue }
      defer { Glibc.close(input) }
      let output = open(destination + suffix, O_CREAT | O_WRONLY | O_TRUNC | O_CLOEXEC, 0o600)
      guard output >= 0 else { continue }
      defer { Glibc.close(output) }
      var buffer = [UInt8](repeating: 0, count: 1 << 16)
      while case let count = read(input, &buffer, buffer.count), count > 0 {
        // A copy that is cut short is a damaged index, which is made anew.
        if Glibc.write(output, buffer, count) != count { break }
      }
    }
  }

  /// Says to back-up programs that this is a cache (bford.info/cachedir).
  private static func tag(_ directory: String) {
    let descriptor = open(directory + "/CACHEDIR.TAG", O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0o644)
    guard descriptor >= 0 else { return }
    defer { Glibc.close(descriptor) }
    let text = """
      Signature: 8a477f597d28d172789f06886806bc55
      # This file is a cache directory tag created by imagemill.
      # For information about cache directory tags see https://bford.info/cachedir/

      """
    _ = Glibc.write(descriptor, text, text.utf8.count)
  }
}
