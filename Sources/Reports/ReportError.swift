import Glibc
import SystemIO

/// A report that can't be written.
package struct ReportError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The kinds of failure; their raw values are stable.
  package enum Code: String, Sendable {
    /// The path's extension isn't that of a report format, which is a usage error.
    case unknownFormat = "unknown-report-format"
    /// A file can't be created, written or renamed.
    case notWritable = "report-not-writable"
    /// An earlier report can't be read, which is a usage error.
    case notReadable = "report-not-readable"
  }

  /// The kind of failure.
  package var code: Code
  /// The report's path.
  package var path: String
  /// One sentence with the failure and its remedy.
  package var message: String

  /// The message.
  package var description: String { message }

  static func unknownFormat(_ path: String) -> ReportError {
    ReportError(
      code: .unknownFormat, path: path,
      message: "the report '\(path)' has an unknown format: end its name in .json, .ndjson, .xml or .html")
  }

  static func notReadable(_ path: String, _ reason: String) -> ReportError {
    ReportError(
      code: .notReadable, path: path,
      message: "can't read the report '\(path)': \(reason); name a report that is JSON or NDJSON")
  }

  /// The error "can't `action` the `noun` 'path'", with the message of `errno`. For `-`, it names standard output.
  static func notWritable(
    _ path: String, _ action: String, _ noun: String = "report", errno code: Int32
  ) -> ReportError {
    let target = path == "-" ? "write standard output" : "\(action) the \(noun) '\(path)'"
    return ReportError(
      code: .notWritable, path: path, message: "can't \(target): \(reason(code))")
  }

  /// The error of a named pipe without a reader.
  static func unread(_ path: String, _ noun: String) -> ReportError {
    ReportError(
      code: .notWritable, path: path,
      message:
        "can't write the \(noun) '\(path)': the pipe has no reader; start its reader first, or name a file")
  }

  /// The system's message for `errno`, except that EBADF is worded for a closed stream.
  package static func reason(_ code: Int32) -> String {
    code == EBADF ? "it isn't open for writing" : SystemError(code: code).text
  }
}
