import SystemIO

/// Makes image paths relative to a page's directory, so that both can be moved together.
struct ImagePaths {
  private let base: String
  private let workingDirectory: String

  /// Resolves symbolic links in the directory, because `..` in the page's URLs is relative to the real directory.
  init(reportDirectory: String) {
    workingDirectory = RealPath.of(".") ?? "/"
    base = RealPath.of(reportDirectory) ?? reportDirectory
  }

  init(reportDirectory: String, workingDirectory: String) {
    base = reportDirectory
    self.workingDirectory = workingDirectory
  }

  /// The relative URL of the file at `path`, which is relative to the current directory.
  func url(of path: String) -> String {
    Paths.relative(
      Paths.absoluteComponents(path, from: workingDirectory),
      to: Paths.absoluteComponents(base, from: workingDirectory)
    )
    .map { PercentEncoding.encodedSegment($0) }
    .joined(separator: "/")
  }

  /// A path as a percent-encoded suffix for the URL of its directory.
  static func relativeURL(of path: String) -> String {
    Paths.absoluteComponents(path, from: "/").map { PercentEncoding.encodedSegment($0) }.joined(
      separator: "/")
  }
}
