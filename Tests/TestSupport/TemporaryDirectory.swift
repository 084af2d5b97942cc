import Foundation

/// A directory of a test's own, removed with its last reference.
public final class TemporaryDirectory: Sendable {
  /// Absolute, without links.
  public let path: String

  /// Makes it.
  public init() throws {
    var template = Array("/tmp/imagemill-test-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { throw Failure(code: errno) }
    path = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
  }

  /// Why there is none.
  public struct Failure: Error {
    /// `errno`.
    public let code: Int32
  }

  deinit {
    // What is left in /tmp fails no test.
    try? FileManager.default.removeItem(atPath: path)
  }
}
