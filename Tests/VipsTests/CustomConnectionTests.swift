import Synchronization
import Testing

@testable import Vips

@Suite("Custom sources and targets", .timeLimit(.minutes(8)))
struct CustomConnectionTests {
  @Test("a picture goes out through one closure and comes in through another, after both objects are gone")
  func roundTrip() throws {
    let image = try VipsImage.plain([10, 20, 30], width: 120, height: 90)
    let written = Mutex<[UInt8]>([])
    try save(image) { bytes in
      written.withLock { $0 += bytes }
      return bytes.count
    }
    let saved = written.withLock { $0 }
    #expect(saved.starts(with: [0x89, 0x50, 0x4e, 0x47]))
    let position = Mutex(0)
    let loaded = try load { buffer in
      position.withLock { position in
        // Little by little, as streams come.
        let count = min(buffer.count, 37, saved.count - position)
        buffer.copyBytes(from: saved[position..<position + count])
        position += count
        return count
      }
    }
    #expect(try loaded.pixels() == image.pixels())
  }

  @Test("a closure that fails makes the operation fail")
  func failure() throws {
    #expect(throws: VipsError.self) { try load { _ in -1 } }
    let image = try VipsImage.plain([10], width: 12, height: 9)
    #expect(throws: VipsError.self) { try save(image) { _ in -1 } }
  }

  private func load(_ read: @escaping CustomSource.Read) throws -> VipsImage {
    try VipsOperation("pngload_source", ["source": .source(CustomSource(read))]).image()
  }

  private func save(_ image: VipsImage, _ write: @escaping CustomTarget.Write) throws {
    _ = try VipsOperation("pngsave_target", ["in": .image(image), "target": .target(CustomTarget(write))])
  }
}
