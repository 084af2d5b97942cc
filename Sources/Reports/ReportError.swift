import Glibc
import SystemIO

/// Why there is no report.
package struct ReportError: Error, Sendable, Hashable, CustomStringConvertible {
  /// What kind of trouble it is.
  package enum Code: String, Sendable {
    /// The name's extension stands for no kind of report: the command line is wrong.
    case unknownFormat = "unknown-report-format"
    /// A file could not be made, written or put in its place.
    case notWritable = "report-not-writable"
  }

  /// Stable.
  package var code: Code
  /// The report's path.
  package var path: String
  /// One sentence: what happened, and what to do about it.
  package var message: String

  /// The message.
  package var description: String { message }

  static func unknownFormat(_ path: String) -> ReportError {
    ReportError(
      code: .unknownFormat, path: path,
      message: "the report '\(path)' is of no known kind: end its name in .json, .ndjson, .xml or .html")
  }

  /// `errno` says why.
  static func notWritable(
    _ path: String, _ action: String, _ noun: String = "report", errno code: Int32
  ) -> ReportError {
    let target = path == "-" ? "write standard output" : "\(action) the \(noun) '\(path)'"
    return ReportError(
      code: .notWritable, path: path, message: "can't \(target): \(reason(code))")
  }

  /// The system's words for `errno`, but that a stream is closed where it says that a descriptor is bad.
  package static func reason(_ code: Int32) -> String {
    code == EBADF ? "it isn't open for writing" : SystemError(code: code).text
  }
}
