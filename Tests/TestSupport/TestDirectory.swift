import Foundation
import Glibc
package import ImageCaches

/// A directory of a test's own; it goes with this value.
package final class TestDirectory: Sendable {
  package let path: String

  package init(_ name: String = "batch") throws {
    path = FileManager.default.temporaryDirectory.path + "/imagemill-\(name)-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  deinit {
    do { try FileManager.default.removeItem(atPath: path) } catch {
      FileHandle.standardError.write(Data("can't remove \(path): \(error)\n".utf8))
    }
  }

  /// The path of a name in the directory.
  package subscript(_ name: String) -> String { path + "/" + name }

  @discardableResult
  package func write(_ text: String, to name: String) throws -> String {
    try write(Array(text.utf8), to: name)
  }

  /// Writes a file, and the directories that it needs.
  @discardableResult
  package func write(_ bytes: [UInt8], to name: String) throws -> String {
    let url = URL(filePath: self[name])
    try FileManager.default.createDirectory(
      at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(bytes).write(to: url)
    return self[name]
  }

  /// The text of a file; nil where there is none.
  package func text(_ name: String) -> String? {
    FileManager.default.contents(atPath: self[name]).map { String(decoding: $0, as: UTF8.self) }
  }

  /// Everything below the directory, sorted.
  package var names: [String] {
    (FileManager.default.enumerator(atPath: path)?.allObjects ?? []).compactMap { $0 as? String }.sorted()
  }

  /// The directory with its links resolved.
  package var realPath: String { URL(filePath: path).resolvingSymlinksInPath().path }
}

extension ContentDigest {
  /// The digest of a text.
  package init(of text: String) { self.init(hashing: text.utf8) }
}

extension DiskStore {
  /// Stores a text's bytes.
  package func insert(text: String) throws -> StoredObject {
    let file = try makeTemporaryFile()
    try Array(text.utf8).withUnsafeBytes { try file.write($0) }
    return try insert(file, digest: ContentDigest(of: text))
  }
}
