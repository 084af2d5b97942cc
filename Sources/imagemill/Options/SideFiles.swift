import Glibc
import ImageBatch
import ImageRendering
import SystemIO
import Vips

/// The files that a command writes beside its outputs, with the options that name them.
struct SideFiles {
  private var files: [(option: String, path: String)] = []

  /// - Parameter lock: The lock file that is written.
  init(_ settings: BatchSettings, lock: String? = nil) {
    func add(_ option: String, _ path: String) {
      if path != "-" { files.append((option, path)) }
    }
    for path in settings.reports { add("--report", path) }
    for emission in settings.emissions { add("--emit", emission.path) }
    if let path = settings.events { add("--events", path) }
    if let path = settings.metrics { add("--metrics", path) }
    if let lock { add("--lock", lock) }
  }

  /// - Parameter outputs: The reports that `report merge` writes.
  init(outputs: [String]) {
    for path in outputs where path != "-" { files.append(("--output", path)) }
  }

  /// Refuses files that would replace what the run reads or makes, an image, or each other. Pipes and devices are never
  /// replaced.
  /// - Parameter claimed: What the run reads or makes. It is asked for only if there is a file to compare: it takes two
  ///   system calls for each output.
  /// - Throws: `CommandError` with the first such option.
  func check(_ claimed: @autoclosure () throws -> ClaimedFiles) throws {
    if let (option, _) = files.first(where: { $0.path.isEmpty }) {
      throw CommandError(.usage, "\(option) needs the name of a file")
    }
    let replaced = files.filter { Self.isReplaced($0.path) }
    guard !replaced.isEmpty else { return }
    let claimed = try claimed()
    var written = ClaimedFiles()
    for (option, path) in replaced {
      if let use = claimed.use(of: path) ?? Self.image(at: path) {
        throw CommandError(.usage, "\(option) would replace \(use); name another file")
      }
      if let other = written.use(of: path) {
        throw CommandError(
          .usage, "\(other) and \(option) both write \(path); name another file for one of them")
      }
      written.add(path, as: option)
    }
  }

  private static func isReplaced(_ path: String) -> Bool {
    var status = stat()
    guard stat(path, &status) == 0 else { return true }
    return status.st_mode & S_IFMT == S_IFREG && !path.hasPrefix("/dev/")
  }

  /// Whether an image is there: sources of a stream aren't known yet.
  private static func image(at path: String) -> String? {
    // The path may lead through a directory that is made first, and out of it again.
    guard let place = File.exists(path) ? path : RealPath.ofLongestPrefix(path), File.exists(place) else {
      return nil
    }
    do throws(RenderError) {
      return try ImageFormat(signature: FileReading.head(of: .path(place))).map {
        "the \($0.rawValue) image \(path)"
      }
    } catch {
      // It can't be written either, which the report says.
      return nil
    }
  }
}
