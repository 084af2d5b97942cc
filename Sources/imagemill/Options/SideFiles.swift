import FoundationEssentials
import Glibc
import ImageBatch
import ImageRendering
import Reports
import SystemIO
import Vips

/// The files that a command writes beside its outputs, with the options that name them.
struct SideFiles {
  private struct Entry {
    let option: String
    let path: String
    /// nil if the option is refused for another reason.
    let kind: SideFileKind?
  }

  private var files: [Entry] = []

  /// - Parameter lock: The lock file that is written.
  init(_ settings: BatchSettings, lock: String? = nil) {
    for path in settings.reports { add("--report", path, Self.report(path)) }
    for emission in settings.emissions { add("--emit", emission.path, .markup(emission.format)) }
    if let path = settings.events { add("--events", path, .events) }
    if let path = settings.metrics { add("--metrics", path, .metrics) }
    if let lock { add("--lock", lock, .lock) }
  }

  /// - Parameter outputs: The reports that `report merge` writes.
  init(outputs: [String]) {
    for path in outputs { add("--output", path, Self.report(path)) }
  }

  private mutating func add(_ option: String, _ path: String, _ kind: SideFileKind?) {
    if path != "-" { files.append(Entry(option: option, path: path, kind: kind)) }
  }

  /// The kind of a report; nil for a name of no format, which the report itself refuses.
  private static func report(_ path: String) -> SideFileKind? {
    do throws(ReportError) { return .report(try ReportFormat(path: path)) } catch { return nil }
  }

  /// Refuses files that would replace what the run reads or makes, an image, a file of another kind, or each other; and
  /// named pipes, sockets and disks. Standard streams and other devices are never replaced.
  /// - Parameter claimed: What the run reads or makes. It is asked for only if there is a file to compare: it takes two
  ///   system calls for each output.
  /// - Throws: `CommandError` with the first such option.
  func check(_ claimed: @autoclosure () throws -> ClaimedFiles) throws {
    if let file = files.first(where: \.path.isEmpty) {
      throw CommandError(.usage, "\(file.option) needs the name of a file")
    }
    for file in files {
      guard let special = SpecialFile(at: file.path), !(special.isPipe && file.kind?.isStream == true) else {
        continue
      }
      throw CommandError(
        .usage, "\(file.option) would replace \(special.noun) \(file.path); name another file")
    }
    let replaced = files.filter { Self.isReplaced($0.path) }
    guard !replaced.isEmpty else { return }
    let claimed = try claimed()
    var written = ClaimedFiles()
    for file in replaced {
      if let use = claimed.use(of: file.path) ?? Self.image(at: file.path) {
        throw CommandError(.usage, "\(file.option) would replace \(use); name another file")
      }
      if let other = written.use(of: file.path) {
        throw CommandError(
          .usage, "\(other) and \(file.option) both write \(file.path); name another file for one of them")
      }
      try Self.refuseOther(file)
      written.add(file.path, as: file.option)
    }
  }

  private static func isReplaced(_ path: String) -> Bool {
    var status = stat()
    guard stat(path, &status) == 0 else { return true }
    return status.st_mode & S_IFMT == S_IFREG && !path.hasPrefix("/dev/")
  }

  /// Refuses a file that has content of another kind than what the option writes.
  private static func refuseOther(_ file: Entry) throws {
    guard let kind = file.kind, File.exists(file.path) else { return }
    let head: [UInt8]
    do throws(SystemError) {
      head = try File.start(of: file.path, count: headLength)
    } catch {
      // A file that can't be read may still be writable, and its kind isn't known.
      throw CommandError(
        .usage,
        "can't read \(file.path), so it may not be \(kind.noun): \(error.text); remove it, or name another file"
      )
    }
    if SideFileKind.isManifest(head) {
      throw CommandError(
        .usage, "\(file.option) would replace the manifest \(file.path); name another file")
    }
    guard !head.isEmpty, !kind.matches(head, of: file.path) else { return }
    throw CommandError(
      .usage, "\(file.option): \(file.path) exists and isn't \(kind.noun); remove it, or name another file")
  }

  /// Enough for the mark of every kind.
  private static let headLength = 4096

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

extension ClaimedFiles {
  /// Claims the files that options and the configuration read.
  /// - Parameter lock: A lock file that is only read.
  mutating func add(readBy downloads: DownloadOptions, _ outputs: OutputOptions, lock: String? = nil) throws {
    if let path = downloads.netrcFile { add(path, as: "the file \(path) of --netrc-file") }
    if let path = downloads.cacert { add(path, as: "the file \(path) of --cacert") }
    if let path = outputs.profile, File.exists(path) { add(path, as: "the profile \(path)") }
    for path in try outputs.sources().values.compactMap(\.localPath).sorted() {
      add(path, as: "the source \(path)")
    }
    if let lock { add(lock, as: "the lock file \(lock)") }
    if let path = SettingsLayer.configurationFile(ProcessInfo.processInfo.environment) {
      add(path, as: "the configuration file \(path)")
    }
  }
}
