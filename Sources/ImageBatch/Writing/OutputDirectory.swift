import Glibc

/// The directory that a batch's outputs stay inside.
struct OutputDirectory: Sendable {
  /// As the user gave it.
  let root: String
  /// Whether outputs may leave it (`--allow-outside`).
  let allowsOutside: Bool

  /// The path to write `path` at, or why that isn't allowed. Says nothing about the file system yet.
  func location(of path: String) throws(JobError) -> String {
    if path.isEmpty || path.hasSuffix("/") {
      throw JobError(
        code: "bad-output", stage: .write, message: "the output's path '\(path)' names no file")
    }
    let normal = Self.normalised(path)
    let leaves = path.hasPrefix("/") || normal == ".." || normal.hasPrefix("../")
    if leaves && !allowsOutside { throw outside(path) }
    if path.hasPrefix("/") || root == "." || root.isEmpty { return normal }
    return root.hasSuffix("/") ? root + normal : root + "/" + normal
  }

  /// Makes the directories that `location` needs, and sees that no symbolic link on the way leaves the root.
  func prepare(_ location: String) throws(JobError) {
    let directory = DirectoryEntry(location).directory
    guard directory != ".", directory != "/" else { return }
    try makeDirectories(directory)
    guard !allowsOutside else { return }
    guard let real = Self.real(directory), let realRoot = Self.real(root.isEmpty ? "." : root) else {
      throw JobError(
        code: "write-failed", stage: .write, message: "can't open \(directory): \(describe(errno))")
    }
    let isInside = real == realRoot || real.hasPrefix(realRoot.hasSuffix("/") ? realRoot : realRoot + "/")
    if !isInside { throw outside(location) }
  }

  private func outside(_ path: String) -> JobError {
    JobError(
      code: "outside-output-dir", stage: .write,
      message: "the output '\(path)' lies outside the output directory '\(root)'; "
        + "choose another with -C, or allow it with --allow-outside")
  }

  private func makeDirectories(_ path: String) throws(JobError) {
    if mkdir(path, 0o777) == 0 || errno == EEXIST { return }
    let reason = errno
    let parent = DirectoryEntry(path).directory
    if reason == ENOENT, parent != ".", parent != "/" {
      try makeDirectories(parent)
      if mkdir(path, 0o777) == 0 || errno == EEXIST { return }
    }
    throw JobError(
      code: "write-failed", stage: .write, message: "can't make the directory \(path): \(describe(errno))")
  }

  /// `path` without empty and `.` components and with `..` taken back, as far as that goes.
  static func normalised(_ path: String) -> String {
    var kept: [Substring] = []
    for component in path.split(separator: "/") where component != "." {
      if component == ".." {
        if let last = kept.last, last != ".." {
          kept.removeLast()
          continue
        }
        if path.hasPrefix("/") { continue }
      }
      kept.append(component)
    }
    return (path.hasPrefix("/") ? "/" : "") + kept.joined(separator: "/")
  }

  private static func real(_ path: String) -> String? {
    guard let resolved = realpath(path, nil) else { return nil }
    defer { free(resolved) }
    return String(cString: resolved)
  }
}
