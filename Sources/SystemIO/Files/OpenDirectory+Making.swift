import Glibc

extension OpenDirectory {
  /// Opens a directory by its path from this one, one name at a time, and creates the missing ones.
  ///
  /// A link that leads out of this directory ends the walk before anything is created behind it, also if it is put there
  /// between two steps: each step starts from a directory that is open.
  /// - Parameter names: The components, without `.` and `..`.
  /// - Returns: The directory; nil if a link leads out of this one.
  /// - Throws: ``AtomicFile/Failure`` if a directory can't be created or opened.
  package func making(_ names: [Substring]) throws(AtomicFile.Failure) -> OpenDirectory? {
    guard let root = realPath else { throw AtomicFile.Failure(action: "open \(path)", code: errno) }
    var current = self
    for name in names {
      current = try current.child(String(name))
      guard let real = current.realPath else {
        throw AtomicFile.Failure(action: "open \(current.path)", code: errno)
      }
      if real != root, !Paths.isInside(real, root) { return nil }
    }
    return current
  }

  private func child(_ name: String) throws(AtomicFile.Failure) -> OpenDirectory {
    let path = path == "." ? name : Paths.joined(path, name)
    do throws(SystemError) {
      do throws(SystemError) {
        return try OpenDirectory(name, in: self, path: path)
      } catch {
        guard error.code == ENOENT else { throw error }
      }
      // Another process may create it at the same time. A link to a missing directory is refused by the second attempt.
      if mkdirat(number, name, 0o777) != 0, errno != EEXIST { throw .last }
      return try OpenDirectory(name, in: self, path: path)
    } catch {
      throw AtomicFile.Failure(action: "create the directory \(path)", code: error.code)
    }
  }
}
