import Foundation
import ImageCaches
import ImageFilters
import ImageRendering
import LoopbackServer
import TestSupport
import Testing
import Vips

@Suite("Images as files and data", .timeLimit(.minutes(8)))
struct ImageFileTests {
  private let directory = Result { try TestDirectory("image") }

  private func url(_ name: String) throws -> URL { URL(filePath: try directory.get()[name]) }

  private func png(_ width: Int = 60, _ height: Int = 40, alpha: Bool = false) -> Data {
    Data(PNGImage.bytes(width: width, height: height, alpha: alpha))
  }

  @Test("an image is opened, filtered and saved in four lines")
  func roundTrip() throws {
    try png().write(to: url("photo.png"))
    let photograph = try VipsImage(contentsOf: url("photo.png"))
    let avatar = try photograph.filtered(.fill(width: 32, height: 32), .circle)
    try avatar.write(to: url("avatar.webp"), as: .webp(quality: 80))
    let saved = try VipsImage(contentsOf: url("avatar.webp"))
    #expect(saved.size == Size(width: 32, height: 32) && saved.hasAlpha)
    #expect(photograph.size == Size(width: 60, height: 40))
    #expect(try directory.get().names == ["avatar.webp", "photo.png"])
  }

  @Test("lossless formats give the pixels back", arguments: [Encoding.png(), .tiff(), .webp(lossless: true)])
  func pixels(_ encoding: Encoding) throws {
    let image = try VipsImage(data: png(alpha: true))
    let again = try VipsImage(data: image.data(as: encoding))
    #expect(try again.pixels() == image.pixels())
  }

  @Test("a file's pixels are those of a rendering, with and without shrinking while decoding")
  func sameAsRendering() throws {
    let photograph = try VipsImage(data: png(480, 360))
    try photograph.write(to: url("photo.jpg"))
    for chain: FilterChain in [FilterChain(), .fit(width: 50), .fill(width: 40, height: 40)] {
      let request = RenderRequest(
        source: .path(try directory.get()["photo.jpg"]), sourceDigest: ContentDigest(of: "photo"),
        recipes: [
          RenderRecipe(
            id: 0, chain: chain, encoding: .png(), temporaryPath: try directory.get()["rendered.png"])
        ])
      guard case .success? = Renderer().render(request).outputs.first?.result else {
        Issue.record("not rendered: \(chain.identifier)")
        return
      }
      let rendered = try VipsImage(contentsOf: url("rendered.png"))
      let read = try ImageReader(limits: RenderLimits(), frames: .first).image(
        at: url("photo.jpg").path, applying: chain)
      #expect(try read.pixels() == rendered.pixels(), "\(chain.identifier)")
    }
  }

  @Test("the first frame is read, or all of them, and written where the format holds them")
  func frames() throws {
    let frame = try VipsImage(data: png())
    let animation = try VipsImage.stacked([frame, frame.filtered(.invert)])
      .editingMetadata { $0.set("page-height", 40) }
    let data = try animation.data(as: .gif())
    #expect(try VipsImage(data: data).pageCount == 1)
    let read = try VipsImage(data: data, frames: .all)
    #expect(read.pageCount == 2 && read.size == Size(width: 60, height: 40))
    #expect(throws: RenderError.self) { try read.data(as: .png()) }
    #expect(try VipsImage(data: read.data(as: .webp().with(frames: .first)), frames: .all).pageCount == 1)
  }

  @Test("what is no image, damaged, too large or not of the Web's formats is an error with its code")
  func refused() throws {
    func code(_ data: Data, _ limits: RenderLimits = RenderLimits()) -> RenderError.Code? {
      do throws(RenderError) {
        _ = try VipsImage(data: data, limits: limits)
        return nil
      } catch { return error.code }
    }
    #expect(code(Data()) == .empty)
    #expect(code(Data("<!doctype html>".utf8)) == .notAnImage)
    #expect(code(Data("P5 1 1 255 a".utf8)) == .unsupportedFormat)
    #expect(
      code(Data("<svg xmlns='http://www.w3.org/2000/svg' width='9' height='9'/>".utf8)) == .unsupportedFormat)
    #expect(code(png(), RenderLimits(maxPixels: 100)) == .tooManyPixels)
    #expect([.truncated, .corrupt].contains(code(png().prefix(2000))))
    #expect(throws: RenderError.self) { try VipsImage(contentsOf: url("missing.png")) }
    #expect(throws: RenderError.self) {
      try VipsImage(contentsOf: #require(URL(string: "http://a.example/a.png")))
    }
  }

  @Test(
    "an option that is out of range, an unknown extension and a missing directory are errors, and leave no file"
  )
  func unwritable() throws {
    let image = try VipsImage(data: png())
    for encoding in [
      Encoding.webp(quality: 101), .jpeg(quality: 0), .gif(dither: .infinity), .gif(dither: .nan),
    ] {
      let error = #expect(throws: RenderError.self) { try image.data(as: encoding) }
      #expect(error?.code == .badEncoding)
    }
    #expect(throws: RenderError.self) { try image.write(to: url("image.txt")) }
    #expect(throws: RenderError.self) { try image.write(to: url("missing/image.png")) }
    #expect(try directory.get().names.isEmpty)
  }

  @Test("an encoding by functions is the one by settings")
  func encodings() throws {
    for format in OutputFormat.allCases {
      let typed: Encoding =
        switch format {
        case .jpeg: .jpeg()
        case .png: .png()
        case .webp: .webp()
        case .avif: .avif()
        case .heic: .heic()
        case .gif: .gif()
        case .tiff: .tiff()
        case .jxl: .jxl()
        }
      #expect(try typed == Encoding(forPathExtension: format.pathExtension))
    }
    let small = try VipsImage(data: png(300, 200)).data(as: .jpeg(quality: 95).limited(toBytes: 2500))
    #expect(small.count <= 2500 && small.count > 500)
  }
}
