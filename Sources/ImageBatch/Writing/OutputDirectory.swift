import SystemIO

/// The directory that a batch's outputs stay inside.
struct OutputDirectory: Sendable {
  /// As the user gave it.
  let root: String
  /// Whether outputs may leave it.
  let allowsOutside: Bool

  /// The path to write `path` at, or why that isn't allowed. Says nothing about the file system yet.
  func location(of path: String) throws(JobError) -> String {
    if path.isEmpty || Paths.endsWithSlash(path) {
      throw JobError(
        code: .badOutput, stage: .write, message: "the output's path '\(path)' names no file")
    }
    if Paths.leaves(path) && !allowsOutside { throw outside(path) }
    let normal = Paths.normalized(path)
    return Paths.isAbsolute(path) || root == "." || root.isEmpty ? normal : Paths.joined(root, normal)
  }

  /// Makes the directories that `location` needs, and sees that no symbolic link on the way leaves the root.
  func prepare(_ location: String) throws(JobError) {
    let directory = DirectoryEntry(location).directory
    guard directory != ".", directory != "/" else { return }
    do throws(SystemError) {
      try Directory.create(directory)
    } catch {
      throw JobError(
        code: .writeFailed, stage: .write, message: "can't make the directory \(directory): \(error.text)")
    }
    guard !allowsOutside else { return }
    guard let real = RealPath.of(directory), let realRoot = RealPath.of(root.isEmpty ? "." : root) else {
      throw JobError(
        code: .writeFailed, stage: .write, message: "can't open \(directory): \(SystemError.last.text)")
    }
    if real != realRoot, !Paths.isInside(real, realRoot) { throw outside(location) }
  }

  private func outside(_ path: String) -> JobError {
    JobError(
      code: .outsideOutputDirectory, stage: .write,
      message: "the output '\(path)' lies outside the output directory '\(root)'")
  }
}
