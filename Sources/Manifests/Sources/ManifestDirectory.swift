import Glibc
import SystemIO

/// The directory that a manifest's local paths are relative to, and must lie inside.
struct ManifestDirectory: Sendable {
  /// The path as given; empty for the working directory.
  let path: String
  let allowsOutside: Bool
  /// The hint for a path outside.
  let outsideHint: String
  /// What messages call it.
  let name: String
  /// The path without symbolic links; nil if the directory doesn't exist.
  private let realPath: String?

  init(
    path: String, allowsOutside: Bool, outsideHint: String = "", name: String = "the manifest's directory"
  ) {
    self.path = path
    self.allowsOutside = allowsOutside
    self.outsideHint = outsideHint
    self.name = name
    realPath = RealPath.ofLongestPrefix(path)
  }

  /// Joins a path to the directory.
  /// - Throws: `SourceResolver.Failure` if the result lies outside, also through `..` or a symbolic link.
  func inside(_ text: String) throws(SourceResolver.Failure) -> String {
    let joined = Paths.isAbsolute(text) || path.isEmpty || path == "." ? text : path + "/" + text
    guard joined.utf8.count < PATH_MAX else {
      throw SourceResolver.Failure(
        message: "the path has \(joined.utf8.count) bytes; Linux allows \(PATH_MAX - 1)")
    }
    if allowsOutside { return joined }
    guard let realPath, let target = RealPath.ofLongestPrefix(joined),
      target == realPath || Paths.isInside(target, realPath)
    else {
      throw SourceResolver.Failure(
        message: "'\(text)' is outside \(name): move it inside\(outsideHint)")
    }
    return joined
  }
}
