import Foundation
import Glibc
import ImageCaches

/// A directory of a test's own; it goes with this value.
final class TestDirectory: Sendable {
  let path: String

  init(_ name: String = "batch") throws {
    path = FileManager.default.temporaryDirectory.path + "/imagemill-\(name)-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  deinit {
    do { try FileManager.default.removeItem(atPath: path) } catch {
      FileHandle.standardError.write(Data("can't remove \(path): \(error)\n".utf8))
    }
  }

  /// The path of a name in the directory.
  subscript(_ name: String) -> String { path + "/" + name }

  @discardableResult
  func write(_ text: String, to name: String) throws -> String {
    try write(Array(text.utf8), to: name)
  }

  /// Writes a file, and the directories that it needs.
  @discardableResult
  func write(_ bytes: [UInt8], to name: String) throws -> String {
    let url = URL(filePath: self[name])
    try FileManager.default.createDirectory(
      at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(bytes).write(to: url)
    return self[name]
  }

  /// The text of a file; nil where there is none.
  func text(_ name: String) -> String? {
    FileManager.default.contents(atPath: self[name]).map { String(decoding: $0, as: UTF8.self) }
  }

  /// Everything below the directory, sorted.
  var names: [String] {
    (FileManager.default.enumerator(atPath: path)?.allObjects ?? []).compactMap { $0 as? String }.sorted()
  }

  /// The directory with its links resolved.
  var realPath: String { URL(filePath: path).resolvingSymlinksInPath().path }
}

extension ContentDigest {
  /// The digest of a text.
  init(of text: String) { self.init(hashing: text.utf8) }
}

extension DiskStore {
  /// Stores a text's bytes.
  func insert(text: String) throws -> StoredObject {
    let file = try makeTemporaryFile()
    try Array(text.utf8).withUnsafeBytes { try file.write($0) }
    return try insert(file, digest: ContentDigest(of: text))
  }
}
