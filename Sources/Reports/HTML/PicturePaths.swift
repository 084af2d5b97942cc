import SystemIO

/// Names pictures from a page's directory, so that both can be moved together.
struct PicturePaths {
  private let base: String
  private let workingDirectory: String

  /// The directory is looked up, links and all: the page's `..` must climb out of where it really is.
  init(reportDirectory: String) {
    workingDirectory = RealPath.of(".") ?? "/"
    base = RealPath.of(reportDirectory) ?? reportDirectory
  }

  init(reportDirectory: String, workingDirectory: String) {
    base = reportDirectory
    self.workingDirectory = workingDirectory
  }

  /// The relative URL of the file at `path`, which is seen from the current directory.
  func url(of path: String) -> String {
    Paths.relative(
      Paths.absoluteComponents(path, from: workingDirectory),
      to: Paths.absoluteComponents(base, from: workingDirectory)
    )
    .map { PercentEncoding.encodedSegment($0) }
    .joined(separator: "/")
  }

  /// A path as the end of a URL that stands for its directory.
  static func relativeURL(of path: String) -> String {
    Paths.absoluteComponents(path, from: "/").map { PercentEncoding.encodedSegment($0) }.joined(
      separator: "/")
  }
}
