import Glibc
import SystemIO

/// Where a report goes, and the files beside it that become it. `-` is standard output.
struct ReportPath {
  /// What the path stands for.
  enum Place {
    /// A file, which appears whole or not at all.
    case file
    /// A pipe or a device, which is written into.
    case device
    case standardOutput
  }

  let path: String
  let directory: String
  let name: String
  let place: Place
  /// What it is called when it can't be written.
  private let noun: String

  init(_ path: String, noun: String = "report") {
    self.path = path
    self.noun = noun
    place = path == "-" ? .standardOutput : Self.isDevice(path) ? .device : .file
    let entry = DirectoryEntry(path)
    (directory, name) = (entry.directory, entry.name)
  }

  /// Makes the directories that are missing above the report.
  func makeDirectories() throws(ReportError) {
    guard place == .file else { return }
    do throws(SystemError) {
      try Directory.create(directory)
    } catch {
      throw .notWritable(path, "make the directory of", noun, errno: error.code)
    }
  }

  /// A file that has no name, for reading and writing: in the report's directory, which is then known to be writable.
  func nameless() throws(ReportError) -> Int32 {
    let hidden = place == .file ? hiddenName(in: directory) : hiddenName(in: Paths.temporaryDirectory)
    let descriptor = open(hidden, O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw .notWritable(path, "write", noun, errno: errno) }
    unlink(hidden)
    return descriptor
  }

  /// Makes the file under a hidden name and moves it to its place, whole or not at all. What is no file is written
  /// into; a reader that has gone has all that it wants.
  func replace(_ body: (Int32) throws(SystemError) -> Void) throws(ReportError) {
    switch place {
    case .standardOutput: return try fill(STDOUT_FILENO, body)
    case .device:
      let descriptor = open(path, O_WRONLY | O_CLOEXEC)
      guard descriptor >= 0 else { throw .notWritable(path, "write", noun, errno: errno) }
      defer { close(descriptor) }
      return try fill(descriptor, body)
    case .file: break
    }
    let hidden = hiddenName(in: directory)
    let descriptor = open(hidden, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0o666)
    guard descriptor >= 0 else { throw .notWritable(path, "write", noun, errno: errno) }
    var isInPlace = false
    defer {
      close(descriptor)
      if !isInPlace { unlink(hidden) }
    }
    try fill(descriptor, body)
    guard fdatasync(descriptor) == 0 else { throw .notWritable(path, "write", noun, errno: errno) }
    guard rename(hidden, path) == 0 else { throw .notWritable(path, "put in place", noun, errno: errno) }
    isInPlace = true
  }

  private func fill(
    _ descriptor: Int32, _ body: (Int32) throws(SystemError) -> Void
  ) throws(ReportError) {
    do throws(SystemError) {
      try body(descriptor)
    } catch {
      if place != .file, error.code == EPIPE { return }
      throw .notWritable(path, "write", noun, errno: error.code)
    }
  }

  private func hiddenName(in directory: String) -> String {
    // Cut by bytes: a name may have 255 of them.
    let start = String(decoding: name.utf8.prefix(60), as: UTF8.self)
    return "\(directory)/.\(start).\(String(UInt64.random(in: 0 ... .max), radix: 36)).tmp"
  }

  /// Nothing below /dev is replaced: `/dev/stdout` may stand for a file.
  private static func isDevice(_ path: String) -> Bool {
    var status = stat()
    guard stat(path, &status) == 0 else { return false }
    return path.hasPrefix("/dev/") || ![S_IFREG, S_IFDIR].contains(status.st_mode & S_IFMT)
  }
}
