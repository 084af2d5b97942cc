import Foundation
import Glibc
import Testing

@testable import ImageFilters

@Suite("Font files", .timeLimit(.minutes(8)))
final class FontCheckTests {
  private let directory = FileManager.default.temporaryDirectory.path + "/fonts-\(UUID().uuidString)"

  init() throws {
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: false)
  }

  deinit { try? FileManager.default.removeItem(atPath: directory) }

  private func refusal(_ bytes: [UInt8], size: off_t? = nil) throws -> String? {
    let path = directory + "/a.ttf"
    try Data(bytes).write(to: URL(filePath: path))
    if let size { #expect(truncate(path, size) == 0) }
    return FontFile.refusal(ofFile: path)
  }

  /// A header of WOFF that declares an unpacked size.
  private static func woff(_ version: String, _ size: [UInt8]) -> [UInt8] {
    Array(version.utf8) + [0, 1, 0, 0, 0, 0, 1, 0, 0, 1, 0, 0] + size + [UInt8](repeating: 0, count: 30)
  }

  @Test("are refused before FreeType opens them if they are no files, or large once they are unpacked")
  func refusals() throws {
    let plain: [UInt8] = [0, 1, 0, 0] + [UInt8](repeating: 0, count: 40)
    #expect(try refusal(plain) == nil)
    #expect(try refusal(plain, size: 64 << 20) == nil)
    #expect(try refusal(plain, size: 64 << 20 + 1)?.contains("64 MiB") == true)
    for version in ["wOFF", "wOF2"] {
      #expect(try refusal(Self.woff(version, [0, 16, 0, 0])) == nil)
      #expect(try refusal(Self.woff(version, [0x7f, 0xff, 0xff, 0xff]))?.contains("unpacks") == true)
    }
    for packed in [[0x1f, 0x8b], [0x1f, 0x9d], Array("BZh9".utf8)] as [[UInt8]] {
      #expect(try refusal(packed + plain)?.contains("compressed") == true)
    }
    #expect(try refusal([0, 1])?.contains("font") == true)
    #expect(mkfifo(directory + "/f.ttf", 0o600) == 0)
    // These would block, or never end.
    for path in [directory + "/f.ttf", directory, "/dev/zero"] {
      #expect(FontFile.refusal(ofFile: path) == "isn't a regular file", "\(path)")
    }
    #expect(FontFile.refusal(ofFile: directory + "/none.ttf")?.hasPrefix("can't be read: ") == true)
  }
}
