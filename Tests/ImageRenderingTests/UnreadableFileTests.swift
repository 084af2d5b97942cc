import Foundation
import Testing
import Vips

@testable import ImageRendering

/// A directory opens like a file, and every read of it fails: what a broken disk does, without one.
@Suite("A file that can't be read", .timeLimit(.minutes(8)))
struct UnreadableFileTests {
  private let fixture = Result { try RenderingFixture() }

  private func code(_ body: () throws(RenderError) -> Void) -> RenderError.Code? {
    do throws(RenderError) {
      try body()
      return nil
    } catch { return error.code }
  }

  @Test("is unreadable, and never damaged, missing or not", arguments: [ImageFormat.gif, .webp])
  func whole(format: ImageFormat) throws {
    let directory = try fixture.get().directory
    for path in [directory, directory + "/none", "/proc/self/mem/none"] {
      #expect(
        code { () throws(RenderError) in try WholeFile.check(.path(path), format) } == .unreadable, "\(path)")
    }
  }

  @Test("doesn't pass for a PNG whose texts were checked")
  func texts() throws {
    let directory = try fixture.get().directory
    for path in [directory, directory + "/none"] {
      #expect(code { () throws(RenderError) in try PNGMetadata.check(.path(path)) } == .unreadable, "\(path)")
    }
  }
}
