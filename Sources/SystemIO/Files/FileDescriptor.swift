package import Glibc
import Synchronization

/// A file descriptor that is closed with its last reference.
package final class FileDescriptor: Sendable {
  /// The descriptor, which is open as long as this object exists. Don't close it.
  package let number: Int32
  private let isLocked = Atomic<Bool>(false)

  /// Opens a file; `flags` are those of open(2), and `O_CLOEXEC` is added.
  package convenience init(
    opening path: String, _ flags: Int32, mode: UInt32 = 0o666
  ) throws(SystemError) {
    self.init(try FileIO.open(path, flags, mode: mode))
  }

  /// Takes ownership of an open descriptor.
  package init(_ number: Int32) {
    self.number = number
  }

  deinit {
    // Closing alone leaves the lock to a child process that was forked and has not yet called exec: it has a duplicate for
    // that long.
    if isLocked.load(ordering: .relaxed) { flock(number, LOCK_UN) }
    close(number)
  }

  /// Locks the file with flock(2), shared or exclusive, until this object is released.
  /// - Returns: Whether the file is locked. Without `waits`, false if another descriptor holds a conflicting
  ///   lock; also false if the file system doesn't support locks.
  package func lock(exclusive: Bool, waits: Bool = true) -> Bool {
    let operation = (exclusive ? LOCK_EX : LOCK_SH) | (waits ? 0 : LOCK_NB)
    while flock(number, operation) != 0 {
      if errno != EINTR { return false }
    }
    isLocked.store(true, ordering: .relaxed)
    return true
  }

  /// The file's status (fstat(2)).
  package var status: stat {
    var status = stat()
    fstat(number, &status)
    return status
  }

  /// Whether the file still has a name: false once it has been unlinked.
  package var isLinked: Bool { status.st_nlink > 0 }

  /// Reads the file from its start to its end in pieces of up to 256 KiB. The descriptor's position doesn't
  /// change.
  /// - Returns: The number of bytes read.
  @discardableResult
  package func forEachPiece(_ body: (UnsafeRawBufferPointer) -> Void) throws(SystemError) -> Int {
    var offset = 0
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 256 * 1024, alignment: 16)
    defer { buffer.deallocate() }
    while true {
      let count = try SystemError.retrying { pread(number, buffer.baseAddress, buffer.count, offset) }
      if count == 0 { return offset }
      body(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
      offset += count
    }
  }

  /// Reads up to `limit` bytes from the start of the file. The descriptor's position doesn't change.
  package func contents(limit: Int) throws(SystemError) -> [UInt8] {
    var bytes: [UInt8] = []
    while bytes.count < limit {
      var buffer = [UInt8](repeating: 0, count: min(1 << 16, limit - bytes.count))
      let count = try FileIO.read(number, at: bytes.count, into: &buffer)
      bytes += buffer[..<count]
      if count < buffer.count { break }
    }
    return bytes
  }
}
