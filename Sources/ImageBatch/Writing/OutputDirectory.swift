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

  /// Opens the directory of `location`, creating it if it is missing, and checks that no symbolic link leads
  /// outside the root.
  /// - Throws: `JobError` if the directory can't be created or opened, or lies outside.
  func open(_ location: String) throws(JobError) -> OpenDirectory {
    let path = DirectoryEntry(location).directory
    do throws(SystemError) {
      if path != ".", path != "/" { try Directory.create(path) }
    } catch {
      throw JobError(
        code: .writeFailed, stage: .write, message: "can't create the directory \(path): \(error.text)")
    }
    let (directory, realRoot): (OpenDirectory, String?)
    do throws(AtomicFile.Failure) {
      directory = try OpenDirectory(path)
      if allowsOutside || path == "." || path == "/" { return directory }
      realRoot = try OpenDirectory(root.isEmpty ? "." : root).realPath
    } catch {
      throw JobError(code: .writeFailed, stage: .write, message: error.message)
    }
    // Compare the open directory, not its path, parts of which another process may replace at any time.
    guard let real = directory.realPath, let realRoot else {
      throw JobError(
        code: .writeFailed, stage: .write, message: "can't open \(path): \(SystemError.last.text)")
    }
    if real != realRoot, !Paths.isInside(real, realRoot) { throw outside(location) }
    return directory
  }

  private func outside(_ path: String) -> JobError {
    JobError(
      code: .outsideOutputDirectory, stage: .write,
      message: "the output '\(path)' lies outside the output directory '\(root)'")
  }
}
