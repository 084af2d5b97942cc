import Glibc
import SystemIO

/// The destination of a report, with the temporary files next to it. `-` is standard output.
struct ReportPath {
  /// The kind of destination.
  enum Place {
    /// A file, which is replaced atomically.
    case file
    /// A pipe or a device, which is written to directly.
    case device
    case standardOutput
  }

  let path: String
  let directory: String
  let name: String
  let place: Place
  /// The noun for the file in error messages.
  private let noun: String

  init(_ path: String, noun: String = "report") {
    self.path = path
    self.noun = noun
    place = path == "-" ? .standardOutput : Self.isDevice(path) ? .device : .file
    let entry = DirectoryEntry(path)
    (directory, name) = (entry.directory, entry.name)
  }

  /// Creates the report's missing parent directories.
  func makeDirectories() throws(ReportError) {
    guard place == .file else { return }
    do throws(SystemError) {
      try Directory.create(directory)
    } catch {
      throw .notWritable(path, "create the directory of", noun, errno: error.code)
    }
  }

  /// Opens an unlinked temporary file for reading and writing. For a report in a file, it is created in the same
  /// directory, which fails before the batch starts if the directory isn't writable.
  func nameless() throws(ReportError) -> Int32 {
    let hidden = place == .file ? hiddenName(in: directory) : hiddenName(in: Paths.temporaryDirectory)
    let descriptor = open(hidden, O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw .notWritable(path, "write", noun, errno: errno) }
    unlink(hidden)
    return descriptor
  }

  /// Writes the file, of which readers see all or nothing; the mode of one that is replaced stays. Pipes and devices are
  /// written directly; if their reader closes early, that is not an error.
  func replace(_ body: (Int32) throws(SystemError) -> Void) throws(ReportError) {
    switch place {
    case .standardOutput: return try fill(STDOUT_FILENO, body)
    case .device:
      let descriptor = try openDevice()
      defer { close(descriptor) }
      return try fill(descriptor, body)
    case .file:
      do throws(AtomicFile.Failure) {
        try AtomicFile.fill(path, options: .init(syncs: true), body)
      } catch {
        throw .notWritable(path, "write", noun, errno: error.code)
      }
    }
  }

  /// Opens the file for a log, which readers see grow; an older one is emptied.
  func openLog() throws(ReportError) -> Int32 {
    if place == .device { return try openDevice() }
    do throws(SystemError) { return try FileIO.open(path, O_WRONLY | O_CREAT | O_TRUNC) } catch {
      throw .notWritable(path, "write", noun, errno: error.code)
    }
  }

  /// Opens a pipe or a device. A named pipe without a reader is an error: open(2) would wait for one, also after a signal.
  private func openDevice() throws(ReportError) -> Int32 {
    do throws(SystemError) {
      let descriptor = try FileIO.open(path, O_WRONLY | O_NONBLOCK | O_NOCTTY)
      // Only the open doesn't wait. The flags are those of this descriptor alone.
      _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) & ~O_NONBLOCK)
      return descriptor
    } catch {
      throw error.code == ENXIO
        ? .unread(path, noun) : .notWritable(path, "write", noun, errno: error.code)
    }
  }

  /// The error for a failure to write the report.
  func unwritable(_ code: Int32) -> ReportError { .notWritable(path, "write", noun, errno: code) }

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
    // Cut by bytes, because a file name is limited to 255 bytes.
    let start = String(decoding: name.utf8.prefix(60), as: UTF8.self)
    return "\(directory)/.\(start).\(String(UInt64.random(in: 0 ... .max), radix: 36)).tmp"
  }

  /// Whether to write directly. This includes everything in /dev, because `/dev/stdout` may be a regular file.
  private static func isDevice(_ path: String) -> Bool {
    var status = stat()
    guard stat(path, &status) == 0 else { return false }
    return path.hasPrefix("/dev/") || ![S_IFREG, S_IFDIR].contains(status.st_mode & S_IFMT)
  }
}
