import LoopbackServer
import Synchronization
import Testing
import Vips

@testable import ImageDownloads

@Suite("content types", .timeLimit(.minutes(8)))
struct ContentTypeTests {
  /// The beginning of a file of each format.
  private static func head(_ format: ImageFormat) -> [UInt8] {
    let head: [UInt8] =
      switch format {
      case .jpeg: [0xff, 0xd8, 0xff, 0xe0]
      case .png: [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]
      case .webp: Array("RIFF".utf8) + [9, 0, 0, 0] + Array("WEBPVP8 ".utf8)
      case .gif: Array("GIF89a".utf8)
      case .tiff: [0x49, 0x49, 0x2a, 0]
      case .heic: [0, 0, 0, 16] + Array("ftypheic".utf8) + [0, 0, 0, 0]
      case .avif: [0, 0, 0, 16] + Array("ftypavif".utf8) + [0, 0, 0, 0]
      case .bmp: Array("BM".utf8) + [UInt8](repeating: 0, count: 12) + [40, 0, 0, 0]
      case .ico: [0, 0, 1, 0, 1, 0]
      case .xbm: Array("#define x_width 8\n#define x_height 8\n".utf8)
      case .svg: Array("<?xml version='1.0'?>\n<!-- \(String(repeating: "-", count: 300)) -->\n<svg ".utf8)
      case .pdf: Array("%PDF-1.7\n".utf8)
      case .jxl: [0xff, 0x0a]
      case .jp2k: [0xff, 0x4f, 0xff, 0x51]
      case .ppm: Array("P6\n8 8\n255\n".utf8)
      case .exr: [0x76, 0x2f, 0x31, 0x01]
      case .hdr: Array("#?RADIANCE\n".utf8)
      case .fits: Array("SIMPLE  =                    T".utf8)
      case .psd: Array("8BPS".utf8)
      }
    return head + [UInt8](repeating: 0, count: 600)
  }

  private static let unspecific = ["", "application/octet-stream", "binary/octet-stream"]

  /// Serves the beginning of the format in the path's first part under the label in its second.
  private static func server() throws -> LoopbackServer {
    try LoopbackServer { request in
      let parts = request.path.split(separator: "/").map { String($0).replacing("~", with: "/") }
      guard let format = parts.first.flatMap({ ImageFormat(rawValue: $0) }) else { return .notFound }
      return Page(head(format), type: parts.count > 1 ? parts[1] : nil)
    }
  }

  private static func path(_ format: ImageFormat, _ label: String) -> String {
    "/\(format.rawValue)/\(label.replacing("/", with: "~"))"
  }

  private final class Warnings: Sendable {
    private let messages = Mutex<[String]>([])
    func take() -> [String] {
      messages.withLock { messages in
        defer { messages = [] }
        return messages
      }
    }
    func note(_ event: DownloadEvent) {
      if case .warning(_, let message) = event { messages.withLock { $0.append(message) } }
    }
  }

  @Test("the signatures of this suite are what they are taken for", arguments: ImageFormat.allCases)
  func signatures(format: ImageFormat) {
    #expect(ImageFormat(signature: Self.head(format)) == format)
    #expect(!ContentTypes.types(of: format).isEmpty)
    #expect(ContentTypes.types(of: format).allSatisfy { ContentTypes.isType($0) && $0 == $0.lowercased() })
  }

  @Test("what is read is read under every label, with a warning where the label is another thing's")
  func readable() async throws {
    let server = try Self.server()
    defer { server.stop() }
    let warnings = Warnings()
    try await Fixture().withDownloader(report: { warnings.note($0) }) { downloader in
      for format in ImageFormat.readByDefault {
        let own = ContentTypes.types(of: format)
        let others = [
          "text/html", "text/plain", "image/x-unheard-of", "image/svg+xml", "image/png", "image/jpeg",
        ]
        for label in own + Self.unspecific + others {
          let outcome = await downloader.outcome(server.url(Self.path(format, label)))
          #expect(outcome.error == nil, "\(format) as '\(label)'")
          let said = warnings.take()
          if own.contains(label) || Self.unspecific.contains(label) {
            #expect(said.isEmpty, "\(format) as '\(label)': \(said)")
          } else {
            #expect(said.count == 1 && said[0].contains("'\(label)'"), "\(format) as '\(label)': \(said)")
          }
        }
      }
    }
  }

  @Test("what isn't read by default is refused by its label, and is read where its types are acceptable")
  func onRequest() async throws {
    let server = try Self.server()
    defer { server.stop() }
    for format in Set(ImageFormat.allCases).subtracting(ImageFormat.readByDefault) {
      let own = ContentTypes.types(of: format)
      try await Fixture().withDownloader { downloader in
        for label in own {
          let error = await downloader.outcome(server.url(Self.path(format, label))).error
          #expect(error?.code == .notAnImage, "\(label)")
          #expect(
            error?.reason == .unreadFormat(format.rawValue),
            "\(label): \(error?.message ?? "")")
        }
        let labeled = await downloader.outcome(server.url(Self.path(format, "text/html"))).error
        #expect(labeled?.message.contains("'text/html', not an image") == true)
      }
      var configuration = Fixture.configuration
      configuration.acceptableContentTypes.formUnion(own)
      let warnings = Warnings()
      try await Fixture().withDownloader(configuration, report: { warnings.note($0) }) { downloader in
        for label in own + Self.unspecific + ["text/html"] {
          #expect(
            await downloader.outcome(server.url(Self.path(format, label))).error == nil, "\(format) \(label)")
          #expect(warnings.take().isEmpty == (label != "text/html"), "\(format) \(label)")
        }
      }
    }
  }

  @Test("a page is refused under every label")
  func pages() async throws {
    let server = try LoopbackServer { request in
      Page(
        text: "\u{feff}\n<!DOCTYPE html><title>Log in</title>",
        type: String(request.path.dropFirst()).replacing("~", with: "/"))
    }
    defer { server.stop() }
    var configuration = Fixture.configuration
    configuration.acceptableContentTypes.insert("image/x-foo")
    try await Fixture().withDownloader(configuration) { downloader in
      for label in ["text/html", "image/jpeg", "application/octet-stream", "image/x-foo", "image/svg+xml"] {
        let error = await downloader.outcome(server.url("/\(label.replacing("/", with: "~"))")).error
        #expect(error?.message.contains("the server sent an HTML page, not an image") == true, "\(label)")
      }
    }
  }

  @Test("Accept names the acceptable types, sorted, and no others; an added one is read without a warning")
  func accept() async throws {
    let server = try LoopbackServer(pages: [
      "/a": Page([1, 2, 3], type: "image/x-foo; q=1"), "/b": Page(imageBytes(), type: "image/X-Foo"),
    ])
    defer { server.stop() }
    let fixture = try Fixture()
    try await fixture.withDownloader { downloader in
      #expect(await downloader.outcome(server.url("/a")).error?.code == .notAnImage)
    }
    #expect(server.requests.last?.field("Accept") == ContentTypes.images.sorted().joined(separator: ","))
    let readable = Set(ImageFormat.readByDefault.flatMap(ContentTypes.types(of:)))
    #expect(ContentTypes.images.subtracting(readable) == ["application/octet-stream"])
    #expect(ContentTypes.images.isDisjoint(with: ["image/jxl", "image/jp2", "image/svg+xml"]))
    var configuration = Fixture.configuration
    configuration.acceptableContentTypes.insert("image/x-foo")
    let warnings = Warnings()
    try await fixture.withDownloader(configuration, report: { warnings.note($0) }) { downloader in
      #expect(await downloader.outcome(server.url("/a")).error == nil)
      #expect(server.requests.last?.field("Accept")?.split(separator: ",").contains("image/x-foo") == true)
      #expect(await downloader.outcome(server.url("/b")).error == nil)
      #expect(warnings.take().isEmpty)
    }
  }

  @Test(
    "an empty body is told as one, whatever its label",
    arguments: ["text/html", "image/png", "application/json"])
  func empty(label: String) async throws {
    let server = try LoopbackServer(pages: ["/a": Page([], type: label)])
    defer { server.stop() }
    try await Fixture().withDownloader { downloader in
      #expect(await downloader.outcome(server.url("/a")).error?.code == .empty)
    }
  }
}
