import Foundation

/// The command that was built with the tests.
package enum BuiltCommand {
  /// Its path, which is beside the tests'; its name if it isn't there.
  package static let path: String = {
    let tests = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().path
    let candidates = [
      CommandLine.arguments.first.map { URL(fileURLWithPath: $0).deletingLastPathComponent().path },
      URL(fileURLWithPath: tests).deletingLastPathComponent().path,
      URL(fileURLWithPath: #filePath).deletingLastPathComponent().path + "/../../.build/debug",
    ].compactMap { $0.map { $0 + "/imagemill" } }
    return candidates.first { FileManager.default.isExecutableFile(atPath: $0) } ?? "imagemill"
  }()

  /// The command that tests run: the file that `IMAGEMILL_TEST_BINARY` names (default: the one built with the tests).
  /// A release build starts in a tenth of the time of a debug build, and is what users run.
  package static let tested = ProcessInfo.processInfo.environment["IMAGEMILL_TEST_BINARY"] ?? path
}
