import Glibc
import ImageCaches
import Testing

/// A directory that is gone with the test.
final class Directory: Sendable {
  let path: String

  init() throws {
    var template = Array("/tmp/imagemill-test-XXXXXX".utf8CString)
    try #require(mkdtemp(&template) != nil)
    path = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
  }

  deinit { Self.shell("rm -rf \(path)") }

  /// Removes all that a shell's pattern matches.
  func remove(_ pattern: String) throws {
    try #require(Self.shell("rm -r \(path)/\(pattern)") == 0)
  }

  @discardableResult
  private static func shell(_ command: String) -> Int32 {
    let words: [String] = ["sh", "-c", command]
    var arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) } + [nil]
    defer { arguments.forEach { free($0) } }
    var pid = pid_t()
    var status: Int32 = -1
    if posix_spawnp(&pid, "sh", nil, nil, &arguments, environ) == 0 { waitpid(pid, &status, 0) }
    return status
  }

  func files(in directory: String) -> [String] {
    guard let stream = opendir("\(path)/\(directory)") else { return [] }
    defer { closedir(stream) }
    var names: [String] = []
    while let entry = readdir(stream) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if !name.hasPrefix(".") { names.append(name) }
    }
    return names
  }
}

extension DiskStore {
  @discardableResult
  func insert(_ bytes: [UInt8]) throws -> StoredObject {
    let temporary = try makeTemporaryFile()
    try bytes.withUnsafeBytes { try temporary.write($0) }
    return try insert(temporary, digest: ContentDigest(hashing: bytes))
  }
}

func bytes(_ seed: Int, count: Int = 1000) -> [UInt8] {
  (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ seed &* 13 &+ ($0 >> 8) &* seed) }
}

func read(_ path: String) -> [UInt8] {
  guard let file = fopen(path, "rb") else { return [] }
  defer { fclose(file) }
  var result: [UInt8] = []
  var buffer = [UInt8](repeating: 0, count: 4096)
  while case let count = fread(&buffer, 1, buffer.count, file), count > 0 { result += buffer[..<count] }
  return result
}

func overwrite(_ path: String, at offset: Int, _ byte: UInt8) {
  let file = open(path, O_WRONLY)
  _ = pwrite(file, [byte], 1, off_t(offset))
  close(file)
}

func write(_ bytes: [UInt8], to path: String) {
  let file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
  _ = Glibc.write(file, bytes, bytes.count)
  close(file)
}
