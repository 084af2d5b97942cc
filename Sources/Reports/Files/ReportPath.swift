import Glibc

/// Where a report goes, and the files beside it that become it.
struct ReportPath {
  let path: String
  let directory: String
  let name: String

  init(_ path: String) {
    self.path = path
    guard let slash = path.lastIndex(of: "/") else {
      (directory, name) = (".", path)
      return
    }
    directory = slash == path.startIndex ? "/" : String(path[..<slash])
    name = String(path[path.index(after: slash)...])
  }

  /// A file in the report's directory that has no name, for reading and writing.
  func nameless() throws(ReportError) -> Int32 {
    let hidden = hiddenName()
    let descriptor = open(hidden, O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw .notWritable(path, "write", errno: errno) }
    unlink(hidden)
    return descriptor
  }

  /// Makes the file under a hidden name and moves it to its place, whole or not at all.
  func replace(_ body: (Int32) throws(SystemError) -> Void) throws(ReportError) {
    let hidden = hiddenName()
    let descriptor = open(hidden, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0o666)
    guard descriptor >= 0 else { throw .notWritable(path, "write", errno: errno) }
    var isInPlace = false
    defer {
      close(descriptor)
      if !isInPlace { unlink(hidden) }
    }
    do throws(SystemError) {
      try body(descriptor)
    } catch {
      throw .notWritable(path, "write", errno: error.code)
    }
    guard fdatasync(descriptor) == 0 else { throw .notWritable(path, "write", errno: errno) }
    guard rename(hidden, path) == 0 else { throw .notWritable(path, "put in place", errno: errno) }
    isInPlace = true
  }

  private func hiddenName() -> String {
    "\(directory)/.\(name.prefix(60)).\(String(UInt64.random(in: 0 ... .max), radix: 36)).tmp"
  }
}
