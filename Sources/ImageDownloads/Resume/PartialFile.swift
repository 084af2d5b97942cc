import Crypto
import FoundationEssentials
import Glibc
import ImageCaches
import SystemIO

/// The file that receives a body: in `partial/` under the request's key, where it outlives this process, or in `tmp/`.
///
/// A file in `partial/` is locked exclusively; a second process that downloads the same body uses `tmp/`.
final class PartialFile: Sendable {
  let file: TemporaryFile
  /// The path of the metadata; nil in `tmp/`.
  private let metadataPath: String?

  init(_ file: TemporaryFile, metadataPath: String? = nil) {
    self.file = file
    self.metadataPath = metadataPath
  }

  /// The description of an interrupted body, stored as JSON.
  struct Metadata: Codable {
    var url: String
    var validator: String
    var total: Int?
  }

  /// Writes the metadata. Must be called before the first byte is written.
  func write(_ metadata: Metadata) throws(CacheError) {
    guard let metadataPath else { return }
    let text: Data
    do {
      text = try JSONText.encoded(metadata)
    } catch {
      throw CacheError(
        code: .fileSystem, .unusable, message: "can't encode the metadata as JSON: \(error)")
    }
    guard let output = try FileDescriptor.open(metadataPath, O_WRONLY | O_CREAT | O_TRUNC) else { return }
    try output.write(Array(text), path: metadataPath)
  }

  func write(_ bytes: [UInt8]) throws(CacheError) {
    try file.file.write(bytes, path: file.path)
  }

  func truncate() throws(CacheError) {
    guard ftruncate(file.file.number, 0) == 0, lseek(file.file.number, 0, SEEK_SET) == 0 else {
      throw .file("truncate", file.path, errno: errno)
    }
  }

  /// Keeps the file for another run after its last reference is released, unless it is in `tmp/`.
  func keep() {
    if metadataPath != nil { file.keep() }
  }

  /// Removes the metadata of a body that is complete or unusable.
  func removeMetadata() {
    if let metadataPath { unlink(metadataPath) }
  }
}

extension DiskStore {
  /// The partial body of an earlier run; nil if there is none, or another process has it locked.
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

  /// Creates a file in `partial/` for a body that is worth resuming, else in `tmp/`.
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
