import Testing

@testable import Vips

@Suite("Metadata", .timeLimit(.minutes(8)))
struct MetadataTests {
  @Test("is read back as it was set, by its type alone")
  func roundTrip() throws {
    let profile = (0..<300).map { UInt8(truncatingIfNeeded: $0 * 7) }
    let image = try Sample.image(4, 3).editingMetadata { editor in
      editor.set("whole", 42)
      editor.set("least", Int(Int32.min))
      editor.set("number", 2.5)
      editor.set("list", [100, 0, -5])
      editor.set("words", "déjà vu")
      editor.set("blob", profile)
    }
    #expect(image.integer("whole") == 42 && image.integer("least") == Int(Int32.min))
    #expect(image.integers("list") == [100, 0, -5])
    #expect(image.bytes("blob") == profile)
    #expect(image.text("words") == "déjà vu")
    #expect(image.text("number")?.hasPrefix("2.5") == true)
    #expect(image.text("whole") == "42")
    for name in ["whole", "least", "number", "list", "words", "blob"] {
      #expect(image.hasField(name) && image.fields.contains(name), "\(name)")
    }
    // A field of one type is none of another.
    for name in ["number", "list", "words", "blob"] { #expect(image.integer(name) == nil, "\(name)") }
    for name in ["whole", "number", "words", "blob"] { #expect(image.integers(name) == nil, "\(name)") }
    for name in ["whole", "number", "list", "words"] { #expect(image.bytes(name) == nil, "\(name)") }
  }

  @Test("that isn't there is nil, whatever it is asked for as")
  func absent() throws {
    let image = try Sample.image(4, 3)
    for name in ["delay", "", "icc-profile-data", "no such field"] {
      #expect(!image.hasField(name))
      #expect(image.integer(name) == nil && image.integers(name) == nil)
      #expect(image.bytes(name) == nil && image.text(name) == nil)
    }
  }

  @Test("numbers beyond 32 bits are held at the ends")
  func clamped() throws {
    let image = try Sample.image(4, 3).editingMetadata { editor in
      editor.set("large", Int.max)
      editor.set("small", Int.min)
      editor.set("list", [Int.max, 1, Int.min])
    }
    #expect(image.integer("large") == Int(Int32.max) && image.integer("small") == Int(Int32.min))
    #expect(image.integers("list") == [Int(Int32.max), 1, Int(Int32.min)])
  }

  @Test("of an image never changes: an edit is another image's")
  func immutability() throws {
    let image = try Sample.image(4, 3)
    let edited = try image.editingMetadata { $0.set("loop", 3) }
    let removed = try edited.editingMetadata { $0.remove("loop") }
    #expect(!image.hasField("loop") && edited.integer("loop") == 3 && !removed.hasField("loop"))
    #expect(try image.pixels() == edited.pixels() && edited.pixels() == removed.pixels())
    // Removing what isn't there is nothing.
    #expect(try image.editingMetadata { $0.remove("loop") }.fields == image.fields)
  }

  @Test("goes along with operations on the pixels")
  func inherited() throws {
    let image = try Sample.image(20, 10).editingMetadata { editor in
      editor.set("note", "kept")
      editor.set("delay", [100, 200])
    }
    let turned = try image.applying("rot", ["angle": "d90"]).applying("invert").materialized()
    #expect(turned.text("note") == "kept" && turned.integers("delay") == [100, 200])
  }

  @Test("lists the header's own fields", arguments: ["width", "height", "bands", "format", "interpretation"])
  func header(name: String) throws {
    #expect(try Sample.image(4, 3).fields.contains(name))
  }

  @Test("orientation is 1 to 8, and 1 where there is none or it is nonsense")
  func orientation() throws {
    let image = try Sample.image(4, 3)
    #expect(image.orientation == 1)
    for value in 1...8 {
      #expect(try image.editingMetadata { $0.set("orientation", value) }.orientation == value)
    }
    for value in [0, 9, -1, 1000] {
      #expect(try image.editingMetadata { $0.set("orientation", value) }.orientation == 1, "\(value)")
    }
  }

  @Test(
    "cuts an image into pages where their height divides it, and into one where it doesn't",
    arguments: [
      (30, 4, 30, 1), (30, 10, 10, 3), (30, 30, 30, 1), (30, 7, 30, 1), (30, 0, 30, 1), (30, -5, 30, 1),
      (30, 60, 30, 1), (30, 1, 1, 30),
    ])
  func pages(height: Int, value: Int, pageHeight: Int, count: Int) throws {
    let image = try Sample.image(5, height).editingMetadata { $0.set("page-height", value) }
    // 4 doesn't divide 30.
    #expect(image.pageHeight == pageHeight && image.pageCount == count)
  }

  @Test("orientation and profile survive a file")
  func files() throws {
    let image = try VipsImage.plain([200, 100, 50], width: 16, height: 12)
      .editingMetadata { $0.set("orientation", 6) }
    for format in ["jpeg", "tiff"] {
      let loaded = try Sample.loaded(Sample.file(image, as: format), as: format)
      #expect(loaded.orientation == 6, "\(format)")
      let stripped = try Sample.loaded(
        Sample.file(image, as: format, VipsRuntime.withoutMetadata), as: format)
      if format == "jpeg" { #expect(stripped.orientation == 1, "\(format)") }
    }
  }
}
