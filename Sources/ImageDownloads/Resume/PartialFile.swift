import Crypto
import FoundationEssentials
import Glibc
import ImageCaches
import SystemIO

/// A file that a body is written to: in `partial/` under the request's key, where it outlives this process, or in `tmp/`.
///
/// The one in `partial/` is locked exclusively; a second process that wants the same body writes its own in `tmp/`.
final class PartialFile: Sendable {
  let file: TemporaryFile
  /// Where the validator is kept; nil in `tmp/`.
  private let metadataPath: String?

  init(_ file: TemporaryFile, metadataPath: String? = nil) {
    self.file = file
    self.metadataPath = metadataPath
  }

  /// What is remembered of an interrupted body.
  struct Metadata: Codable {
    var url: String
    var validator: String
    var total: Int?
  }

  /// Remembers what the bytes belong to, before the first of them is written.
  func write(_ metadata: Metadata) throws(CacheError) {
    guard let metadataPath else { return }
    let text: Data
    do {
      text = try JSONText.encoded(metadata)
    } catch {
      throw CacheError(
        code: .fileSystem, .unusable, message: "the metadata can't be written as JSON: \(error)")
    }
    guard let output = try FileDescriptor.open(metadataPath, O_WRONLY | O_CREAT | O_TRUNC) else { return }
    try output.write(Array(text), path: metadataPath)
  }

  /// Appends bytes.
  func write(_ bytes: [UInt8]) throws(CacheError) {
    try file.file.write(bytes, path: file.path)
  }

  /// Empties the file.
  func truncate() throws(CacheError) {
    guard ftruncate(file.file.number, 0) == 0, lseek(file.file.number, 0, SEEK_SET) == 0 else {
      throw CacheError(
        code: .fileSystem, .unusable, message: "can't empty \(file.path): \(SystemError.last.text)")
    }
  }

  /// Leaves the file where it is when the last reference goes, for another run.
  func keep() {
    if metadataPath != nil { file.keep() }
  }

  /// Removes the metadata: the body is whole or of no use.
  func removeMetadata() {
    if let metadataPath { unlink(metadataPath) }
  }
}

extension DiskStore {
  /// What an earlier run has of a body; nil where there is nothing, or another process is at it.
  func interruptedBody(_ key: ContentDigest, url: String) throws(CacheError) -> PartialBody? {
    guard try mayHavePartials() else { return nil }
    let path = partialPath(key)
    let metadataPath = path + ".json"
    guard let metadataFile = try FileDescriptor.open(metadataPath, O_RDONLY) else { return nil }
    let text = try metadataFile.contents(path: metadataPath, limit: 1 << 16)
    guard let metadata = try? JSONDecoder().decode(PartialFile.Metadata.self, from: Data(text)),
      metadata.url == url,
      let file = try openPartial(key, creates: false)
    else { return nil }
    let partial = PartialFile(file, metadataPath: metadataPath)
    partial.keep()
    let hashed = try file.file.hash(path: path)
    guard hashed.byteCount > 0, lseek(file.file.number, 0, SEEK_END) == hashed.byteCount else { return nil }
    return PartialBody(
      file: partial, validator: metadata.validator, total: metadata.total, received: hashed.byteCount,
      hasher: hashed.hasher)
  }

  /// A file in `partial/` for a body that is worth resuming, else one in `tmp/`.
  func makePartialFile(_ key: ContentDigest, isWorthKeeping: Bool) throws(CacheError) -> PartialFile {
    guard isWorthKeeping, let file = try openPartial(key, creates: true) else {
      return PartialFile(try makeTemporaryFile())
    }
    let partial = PartialFile(file, metadataPath: partialPath(key) + ".json")
    try partial.truncate()
    partial.keep()
    return partial
  }
}
