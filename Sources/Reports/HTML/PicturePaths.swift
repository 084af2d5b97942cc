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
    .map { PercentEncoding.encoded($0) }
    .joined(separator: "/")
  }

  /// A path as the end of a URL that stands for its directory.
  static func relativeURL(of path: String) -> String {
    Paths.absoluteComponents(path, from: "/").map { PercentEncoding.encoded($0) }.joined(separator: "/")
  }
}

/// RFC 3986, section 2.1.
enum PercentEncoding {
  private static let digits = Array("0123456789ABCDEF")

  /// `text` with everything but unreserved characters encoded: fit for one segment of a path.
  static func encoded(_ text: some StringProtocol) -> String {
    var result = ""
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
        UInt8(ascii: "~"):
        result.unicodeScalars.append(Unicode.Scalar(byte))
      default:
        result += "%\(digits[Int(byte >> 4)])\(digits[Int(byte & 15)])"
      }
    }
    return result
  }
}
