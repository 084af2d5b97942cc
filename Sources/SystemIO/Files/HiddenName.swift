import Glibc

/// The names of unfinished files beside their destinations. A process that is killed between two system calls leaves one.
enum HiddenName {
  private static let prefix = ".imagemill-"
  private static let suffix = ".tmp"
  /// The seconds for which an unlocked file is spared: its process may be about to lock it.
  private static let grace = 60

  /// A new name.
  static func make() -> String { prefix + String(UInt64.random(in: 0 ... .max), radix: 36) + suffix }

  static func isHidden(_ name: String) -> Bool { name.hasPrefix(prefix) && name.hasSuffix(suffix) }

  /// Marks a file as in use until it is closed, also by a kill.
  static func lock(_ descriptor: Int32) {
    // On a file system without locks, files that a kill leaves stay.
    flock(descriptor, LOCK_EX | LOCK_NB)
  }

  /// Whether an open file was left by a process that ended: it is ours, old enough, and unlocked.
  static func isAbandoned(_ descriptor: Int32) -> Bool {
    var status = stat()
    return fstat(descriptor, &status) == 0 && status.st_mode & S_IFMT == S_IFREG && status.st_uid == geteuid()
      && status.st_mtim.tv_sec < time(nil) - grace && flock(descriptor, LOCK_EX | LOCK_NB) == 0
  }
}

extension OpenDirectory {
  /// Removes the unfinished files that killed processes left here. What can't be listed or removed stays.
  package func removeAbandonedFiles() {
    let descriptor = openat(number, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { return }
    guard let stream = fdopendir(descriptor) else {
      close(descriptor)
      return
    }
    // Closes the descriptor too.
    defer { closedir(stream) }
    while let found = readdir(stream) {
      let bytes = withUnsafeBytes(of: &found.pointee.d_name) { Array($0.prefix { $0 != 0 }) }
      let name = String(decoding: bytes, as: UTF8.self)
      guard HiddenName.isHidden(name) else { continue }
      // O_NONBLOCK: a named pipe must not block.
      let file = openat(number, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
      guard file >= 0 else { continue }
      if HiddenName.isAbandoned(file) { unlinkat(number, name, 0) }
      close(file)
    }
  }
}
