import Foundation
import FoundationXML
import TestSupport
import Testing
import Vips

@testable import ImageRendering

@Suite("Who owns an image", .timeLimit(.minutes(8)))
struct OwnershipTests {
  static let texts = [
    "Ada", "© Ada & Söhne", "<b>", "a \"b\" 'c'", "日本 😀", "]]>", "&amp;", "&lt;", "x\u{301}", "<\u{338}b",
    "&\u{301}", "\"\u{301}",
    "a\u{1}b\u{7}c", "tab\there", "line\nbreak", "a\u{FFFE}b", String(repeating: "long", count: 200),
  ]

  private func image(_ fields: [String: String], xmp: [UInt8]? = nil) throws -> VipsImage {
    try RenderingFixture.waves(4, 4).editingMetadata { editor in
      for (name, text) in fields { editor.set(name, text) }
      if let xmp { editor.set("xmp-data", xmp) }
    }
  }

  private func legal(_ text: String) -> [Unicode.Scalar] {
    text.unicodeScalars.filter {
      ($0 >= " " || $0 == "\n" || $0 == "\t") && $0 != "\u{FFFE}" && $0 != "\u{FFFF}"
    }
  }

  @Test("is said in XMP that any XML parser reads, whatever the name is")
  func packets() throws {
    for text in Self.texts {
      let ownership = Ownership(
        of: try image([
          "exif-ifd0-Copyright": "\(text) (\(text), ASCII, 3 components)", "exif-ifd0-Artist": "x",
        ]))
      guard !text.contains("\u{1}") else { continue }
      #expect(ownership.copyright.map { Array($0.unicodeScalars) } == Array(text.unicodeScalars), "\(text)")
      let document = try XMLDocument(data: Data(ownership.packet))
      let rights = try document.nodes(forXPath: "//*[local-name()='rights']//*[local-name()='li']")
      #expect(
        rights.compactMap(\.stringValue).map { Array($0.unicodeScalars) } == [legal(text)],
        "\(text.debugDescription)")
      let creators = try document.nodes(forXPath: "//*[local-name()='creator']//*[local-name()='li']")
      #expect(creators.compactMap(\.stringValue) == ["x"])
    }
  }

  @Test("comes back from a packet of our own")
  func roundTrip() throws {
    for text in Self.texts where !text.contains("]]>") {
      let first = Ownership(
        of: try image(["exif-ifd0-Copyright": "\(text) (x)", "exif-ifd0-Artist": "\(text)! (x)"]))
      let second = Ownership(of: try image([:], xmp: first.packet))
      #expect(
        second.copyright.map { Array($0.unicodeScalars) } == first.copyright.map(legal),
        "\(text.debugDescription)")
      #expect(
        second.artist.map { Array($0.unicodeScalars) } == first.artist.map(legal), "\(text.debugDescription)")
    }
  }

  @Test("is nothing where nothing says it, and XMP says it before EXIF")
  func sources() throws {
    #expect(Ownership(of: try image([:])).isEmpty)
    #expect(Ownership(of: try image([:])).exifFields.isEmpty)
    let xmp = Array("<x><dc:rights>XMP's</dc:rights></x>".utf8)
    let both = Ownership(of: try image(["exif-ifd0-Copyright": "EXIF's (x)"], xmp: xmp))
    #expect(both.copyright == "XMP's" && both.artist == nil)
    #expect(both.exifFields.map(\.name) == ["exif-ifd0-Copyright"])
    for broken in [
      "", "<dc:rights>", "<dc:rights></dc:rights>", "</dc:rights><dc:rights>",
      "<dc:rights><rdf:li></dc:rights>",
    ] {
      let ownership = Ownership(of: try image(["exif-ifd0-Copyright": "EXIF's (x)"], xmp: Array(broken.utf8)))
      #expect(ownership.copyright == "EXIF's", "\(broken)")
    }
  }
}
