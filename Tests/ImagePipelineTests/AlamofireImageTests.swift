import Foundation
import ImageBatch
import ImageCaches
import ImageDownloads
import ImageFilters
import ImagePipeline
import ImageRendering
import LoopbackServer
import TestSupport
import Testing
import Vips

@Suite("The article \"From AlamofireImage\"", .timeLimit(.minutes(8)))
struct AlamofireImageTests {
  /// What the README of AlamofireImage 4.4.0 names in code, each piece once: the pieces of its Swift that use the library, and
  /// the words that its text has in backquotes. AlamofireImage is under the MIT License, copyright 2015-2022 Alamofire
  /// Software Foundation.
  private static let readme = """
    AF.request("").responseImage { response in }
    debugPrint(response.result)
    print(response.request)
    print(response.response)
    if case .success(let image) = response.result {}
    image.af.inflate()
    image.af.imageScaled(to: size)
    image.af.imageAspectScaled(toFit: size)
    image.af.imageAspectScaled(toFill: size)
    image.af.imageRounded(withCornerRadius: radius)
    image.af.imageRoundedIntoCircle()
    image.af.imageFiltered(withCoreImageFilter: "", parameters: ["": 25])
    public protocol ImageFilter { var filter: (Image) -> Image { get } var identifier: String { get } }
    let imageFilter = RoundedCornersFilter(radius: 10.0)
    imageFilter.filter(image)
    AspectScaledToFillSizeCircleFilter(size: size)
    AutoPurgingImageCache(memoryCapacity: 100, preferredMemoryUsageAfterPurge: 60)
    AutoPurgingImageCache()
    imageCache.add(avatarImage, withIdentifier: "")
    imageCache.image(withIdentifier: "")
    imageCache.removeImage(withIdentifier: "")
    imageCache.add(avatarImage, for: urlRequest, withIdentifier: "")
    imageCache.image(for: urlRequest, withIdentifier: "")
    imageCache.removeImage(for: urlRequest, withIdentifier: "")
    ImageDownloader(configuration: ImageDownloader.defaultURLSessionConfiguration(),
      downloadPrioritization: .fifo, maximumActiveDownloads: 4, imageCache: AutoPurgingImageCache())
    downloader.download(urlRequest) { response in }
    downloader.download(urlRequest, filter: filter) { response in }
    downloader.addAuthentication(user: "", password: "")
    public enum DownloadPrioritization { case fifo, lifo }
    imageView.af.setImage(withURL: url)
    imageView.af.setImage(withURL: url, placeholderImage: placeholderImage)
    imageView.af.setImage(withURL: url, placeholderImage: placeholderImage, filter: filter)
    imageView.af.setImage(
      withURL: url, placeholderImage: placeholderImage, filter: filter, imageTransition: .crossDissolve(0.2))
    ImageDownloader.default.addAuthentication(user: "", password: "")
    AspectScaledToFillSizeFilter AspectScaledToFillSizeWithRoundedCornersFilter AspectScaledToFitSizeFilter BlurFilter
    CIGaussianBlur CircleFilter DataRequest ImageCache ImageRequestCache ImageTransition RequestReceipt
    ScaledToSizeCircleFilter ScaledToSizeFilter ScaledToSizeWithRoundedCornersFilter Session UIImage UIImageView URLCache
    URLSessionConfiguration addAcceptableImageContentTypes cancel cancelRequestForRequestReceipt completion credential
    memoryCapacity preferredMemoryCapacityAfterPurge urlCache
    """

  /// Words of the pieces that are Swift's, or variables of the README's own.
  private static let others: Set<String> = [
    "avatarImage", "case", "debugPrint", "enum", "get", "if", "in", "let", "print", "protocol", "public",
    "String", "var",
    "urlRequest",
  ]

  private static func words(_ text: String) -> Set<String> {
    Set(text.matches(of: #/[A-Za-z]\w*/#).map { String($0.0) })
  }

  @Test("has every symbol of AlamofireImage's README, as a word of its own")
  func symbols() throws {
    let article = try String(
      contentsOfFile: DocumentationTests.root
        + "Sources/ImageDownloads/ImageDownloads.docc/From-AlamofireImage.md",
      encoding: .utf8)
    let named = Self.words(Self.readme)
    #expect(Self.others.subtracting(named).isEmpty)
    let symbols = named.subtracting(Self.others)
    #expect(symbols.count > 70)
    #expect(symbols.subtracting(Self.words(article)).sorted() == [])
  }

  @Test("has examples that run")
  func alamofireImage() async throws {
    let data = Data(imagePage().body)
    #expect(try versions(of: data).count == 7)
    let coreImage = try coreImageVersions(of: VipsImage(data: data))
    // The blur grows by three radii on each side.
    #expect(coreImage.map(\.width) == [180, 30, 30])
    let image = try VipsImage(data: data)
    for filter in filters(Size(width: 20, height: 20)) { #expect(try image.filtered(filter).width > 0) }
    let url = try #require(URL(string: "https://example.invalid/a.jpg"))
    #expect(try useCache(image, for: url) === image)
    await makeDownloader(store: try .ephemeral()).shutDown()
    let server = try LoopbackServer(pages: ["/a.png": imagePage()])
    defer { server.stop() }
    try await withPipeline { pipeline, images in
      let avatar = try await avatar(of: server.address("/a.png"), pipeline: pipeline)
      #expect((avatar.width, avatar.height, avatar.hasAlpha) == (100, 100, true) && images.count == 1)
      // The address is never asked: the call is cancelled before.
      pipeline.downloader.holdsNewTransfers = true
      let (cancelled, continuation) = AsyncStream.makeStream(of: Void.self)
      loadAndCancel(url, pipeline: pipeline) { continuation.finish() }
      for await _ in cancelled {}
    }
  }

  @Test("has downloads that run: of a file, with progress, of several URLs")
  func downloads() async throws {
    let server = try LoopbackServer(pages: ["/a.png": imagePage(), "/b.png": imagePage(1)])
    defer { server.stop() }
    let urls = [server.address("/a.png"), server.address("/b.png"), server.address("/missing.png")]
    try await withPipeline { pipeline, _ in
      let (image, source) = try await response(to: urls[0], downloader: pipeline.downloader)
      #expect(image.size == Size(width: 30, height: 20) && source.byteCount == imagePage().body.count)
      let (sizes, continuation) = AsyncStream.makeStream(of: Size?.self)
      loadAll(urls, pipeline: pipeline) { continuation.yield($0) }
      var counts: [Size?: Int] = [:]
      for await size in sizes.prefix(4) { counts[size, default: 0] += 1 }
      #expect(counts == [Size(width: 30, height: 20): 1, Size(width: 20, height: 20): 2, nil: 1])
    }
  }

  @Test("has a job in the place of a view: with a transition, and with a placeholder if the source fails")
  func views() async throws {
    let directory = try TestDirectory("views")
    let placeholder = URL(filePath: directory["placeholder.png"])
    try Data(imagePage(2).body).write(to: placeholder)
    let server = try LoopbackServer(pages: ["/a.png": imagePage()])
    defer { server.stop() }
    for path in ["/a.png", "/missing.png"] {
      var configuration = BatchConfiguration()
      configuration.outputDirectory = URL(filePath: directory["out\(path)"])
      let batch = try Batch(
        configuration, cacheDirectory: URL(filePath: directory["cache"]),
        downloads: ImagePipeline.Configuration.forTests().downloads)
      let shown = await showAvatar(of: server.address(path), placeholderImage: placeholder, with: batch)
      _ = await batch.summary
      let output = try #require(shown)
      #expect(output.status == .written, "\(output)")
      let animation = try VipsImage(contentsOf: #require(output.file), frames: .all)
      #expect(animation.size == Size(width: 100, height: 100))
      // A transition from the placeholder to itself may be encoded as one frame.
      #expect(animation.height > 100 || path == "/missing.png")
    }
  }
}
