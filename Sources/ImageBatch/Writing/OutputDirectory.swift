import SystemIO

/// The directory that a batch's outputs stay inside.
struct OutputDirectory: Hashable, Sendable {
  /// As the user gave it.
  let root: String
  /// Whether outputs may leave it.
  let allowsOutside: Bool

  /// The path to write `path` at, or why that isn't allowed. Says nothing about the file system yet.
  func location(of path: String) throws(JobError) -> String {
    if path.isEmpty || Paths.endsWithSlash(path) {
      throw JobError(
        code: .badOutput, stage: .write, message: "the output's path '\(path)' doesn't name a file")
    }
    if Paths.leaves(path) && !allowsOutside { throw outside(path) }
    let normal = Paths.normalized(path)
    return Paths.isAbsolute(path) || root == "." || root.isEmpty ? normal : Paths.joined(root, normal)
  }

  /// Opens the directory of `location`, which is made if it is missing, and checks that no symbolic link leads out of the
  /// root.
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
    // The open directory is compared, not its path: another process may replace a part of that at any time.
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
