import Foundation
import Testing

@testable import ImageRendering

@Suite("The contact sheet", .timeLimit(.minutes(8)))
struct RenderingContactSheetTests {
  @Test("shows every filter on every image")
  func everything() throws {
    let fixture = try RenderingFixture()
    // Kept where IMAGEMILL_CONTACT_SHEET says, to be looked at.
    let directory = ProcessInfo.processInfo.environment["IMAGEMILL_CONTACT_SHEET"] ?? fixture.path("sheet")
    try ContactSheet(directory: directory).write()
    let page = try String(contentsOfFile: "\(directory)/index.html", encoding: .utf8)
    let files = try FileManager.default.contentsOfDirectory(atPath: directory)
    let images = files.filter { $0.hasSuffix(".png") && $0 != "contact-sheet.png" || $0.hasSuffix(".webp") }
    #expect(images.count >= 4 * 60)
    #expect(images.allSatisfy { page.contains($0) })
    #expect(try fixture.open("\(directory)/contact-sheet.png").height > 3000)
  }
}
