import Foundation
import Hummingbird
import ImageDownloads
import ImageFilters
import ImagePipeline
import ImageRendering

/// Serves round avatars of the images at an origin: `GET /avatars/ada.jpg?size=96`.
///
///     Server PORT ORIGIN CACHE-DIRECTORY [NETWORK]
@main
struct Server {
  static func main() async throws {
    let arguments = CommandLine.arguments
    guard arguments.count > 3, let port = Int(arguments[1]), let origin = URL(string: arguments[2]) else {
      print("usage: Server PORT ORIGIN CACHE-DIRECTORY [NETWORK]")
      exit(2)
    }
    var configuration = ImagePipeline.Configuration()
    // Only public addresses are allowed, unless a network is named, such as `loopback`.
    if arguments.count > 4, !configuration.downloads.addressPolicy.allow(arguments[4]) {
      print("'\(arguments[4])' is no network")
      exit(2)
    }
    let pipeline = try ImagePipeline(
      cacheDirectory: URL(filePath: arguments[3]), configuration: configuration)
    let router = Router()
    router.get("avatars/:name") { request, context in
      let name = try context.parameters.require("name")
      let size = request.uri.queryParameters["size"].map { Int($0) } ?? 96
      // A name can't leave the origin's directory.
      guard !name.contains("/"), !name.hasPrefix("."), let size, (16...512).contains(size) else {
        throw HTTPError(.badRequest, message: "GET /avatars/NAME?size=SIZE, where SIZE is 16 to 512")
      }
      return try await avatar(of: origin.appending(path: name), size: size, with: pipeline)
    }
    let application = Application(
      router: router, configuration: .init(address: .hostname("127.0.0.1", port: port)))
    try await application.runService()
    await pipeline.shutDown()
  }

  /// The pipeline shares downloads and renderings between requests, and keeps the encoded bytes in memory.
  static func avatar(of photograph: URL, size: Int, with pipeline: ImagePipeline) async throws -> Response {
    do throws(ImageError) {
      let bytes = try await pipeline.data(
        for: photograph, filters: .fill(width: size, height: size), .circle, as: .webp(quality: 80))
      return Response(
        status: .ok,
        headers: [.contentType: "image/webp", .cacheControl: "public, max-age=3600"],
        body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes)))
    } catch {
      throw HTTPError(
        error.isDownloadError ? .badGateway : .unprocessableContent, message: error.description)
    }
  }
}
