import SystemIO

/// The directory that contains a batch's outputs.
struct OutputDirectory: Hashable, Sendable {
  /// The path as given.
  let root: String
  /// Whether outputs may be written outside.
  let allowsOutside: Bool

  /// The location of the output with `path`. Checks the text only, not symbolic links.
  /// - Throws: `JobError` if `path` names no file, or lies outside without permission.
  func location(of path: String) throws(JobError) -> String {
    if path.isEmpty || Paths.endsWithSlash(path) {
      throw JobError(
        code: .badOutput, stage: .write, message: "the output's path '\(path)' doesn't name a file")
    }
    if Paths.leaves(path) && !allowsOutside { throw outside(path) }
    let normal = Paths.normalized(path)
    return Paths.isAbsolute(path) || root == "." || root.isEmpty ? normal : Paths.joined(root, normal)
  }

  /// Opens the directory of `location`, creating it if it is missing. No symbolic link may lead outside the root.
  /// - Throws: `JobError` if the directory can't be created or opened, or lies outside.
  func open(_ location: String) throws(JobError) -> OpenDirectory {
    let path = DirectoryEntry(location).directory
    do throws(AtomicFile.Failure) {
      if allowsOutside || path == "." || path == "/" {
        try create(path)
        return try OpenDirectory(path)
      }
      let root = root.isEmpty ? "." : root
      try create(root)
      let names = Paths.components(path).dropFirst(root == "." ? 0 : Paths.components(root).count)
      if let directory = try OpenDirectory(root).making(Array(names)) { return directory }
    } catch {
      throw JobError(code: .writeFailed, stage: .write, message: error.message)
    }
    throw outside(location)
  }

  private func create(_ path: String) throws(AtomicFile.Failure) {
    do throws(SystemError) {
      if path != ".", path != "/" { try Directory.create(path) }
    } catch {
      throw AtomicFile.Failure(action: "create the directory \(path)", code: error.code)
    }
  }

  private func outside(_ path: String) -> JobError {
    JobError(
      code: .outsideOutputDirectory, stage: .write,
      message: "the output '\(path)' lies outside the output directory '\(root)'")
  }
}
