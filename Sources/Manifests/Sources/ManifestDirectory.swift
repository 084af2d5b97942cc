import Glibc
import SystemIO

/// The directory that a manifest's local paths are relative to, and that they may not leave.
struct ManifestDirectory: Sendable {
  /// As given; empty is the process's own directory.
  let path: String
  let allowsOutside: Bool
  /// What is said of a path outside besides that it lies there.
  let outsideHint: String
  /// Without symbolic links; nil where the directory doesn't exist.
  private let realPath: String?

  init(path: String, allowsOutside: Bool, outsideHint: String = "") {
    self.path = path
    self.allowsOutside = allowsOutside
    self.outsideHint = outsideHint
    realPath = RealPath.ofLongestPrefix(path)
  }

  /// `text` joined to the directory; throws where it lies outside, also by way of `..` or a symbolic link.
  func inside(_ text: String) throws(SourceResolver.Failure) -> String {
    let joined = Paths.isAbsolute(text) || path.isEmpty || path == "." ? text : path + "/" + text
    guard joined.utf8.count < PATH_MAX else {
      throw SourceResolver.Failure(
        message: "a path of \(joined.utf8.count) bytes: Linux opens none of more than \(PATH_MAX - 1)")
    }
    if allowsOutside { return joined }
    guard let realPath, let target = RealPath.ofLongestPrefix(joined),
      target == realPath || Paths.isInside(target, realPath)
    else {
      throw SourceResolver.Failure(
        message: "'\(text)' lies outside the manifest's directory: move it inside\(outsideHint)")
    }
    return joined
  }
}
