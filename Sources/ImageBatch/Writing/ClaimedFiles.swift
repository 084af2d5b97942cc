import Glibc
import ImageCaches
import SystemIO

/// The files that a run reads or makes, each with its role, so that no report or lock file replaces one.
///
/// Existing files are compared by device and inode, following links; others by their directory and name.
package struct ClaimedFiles: Sendable {
  private enum Key: Hashable {
    case file(FileIdentity)
    case entry(directory: FileIdentity, name: String)
    case path([Substring])

    init(_ path: String) {
      let entry = DirectoryEntry(path)
      if let file = FileIdentity(path: path) {
        self = .file(file)
      } else if let directory = FileIdentity(path: entry.directory) {
        self = .entry(directory: directory, name: entry.name)
      } else {
        self = .path(Paths.absoluteComponents(path, from: Paths.workingDirectory))
      }
    }
  }

  private var uses: [Key: String] = [:]

  package init() {}

  /// Claims a file. The first use of a file stays.
  /// - Parameter use: What the file is, such as "the manifest m.yaml".
  package mutating func add(_ path: String, as use: String) {
    let key = Key(path)
    if uses[key] == nil { uses[key] = use }
  }

  /// Claims an open file, if it is a regular one.
  package mutating func add(descriptor: Int32, as use: String) {
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return }
    uses[.file(FileIdentity(status))] = use
  }

  /// Claims the local files that jobs read, and the outputs whose paths are known before the run.
  package mutating func add(_ jobs: [Job]) {
    for job in jobs {
      for path in job.localImages { add(path, as: "the source \(path)") }
      for path in job.fontsAndProfiles { add(path, as: "the file \(path) that an output names") }
      for output in job.outputLocations(in: ".") { add(output.location, as: "the output \(output.path)") }
    }
  }

  /// The use of a file; nil if it isn't claimed.
  package func use(of path: String) -> String? { uses[Key(path)] }
}
