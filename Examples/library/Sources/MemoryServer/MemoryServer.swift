import Foundation
import Hummingbird

/// Sends the bytes of a file from memory: what `Benchmarks/library` compares `Server` with.
///
///     MemoryServer PORT FILE
@main
struct MemoryServer {
  static func main() async throws {
    let arguments = CommandLine.arguments
    guard arguments.count > 2, let port = Int(arguments[1]) else {
      print("usage: MemoryServer PORT FILE")
      exit(2)
    }
    let bytes = ByteBuffer(bytes: try Data(contentsOf: URL(filePath: arguments[2])))
    let router = Router()
    router.get("memory") { _, _ in
      Response(
        status: .ok,
        headers: [.contentType: "image/webp", .cacheControl: "public, max-age=3600"],
        body: ResponseBody(byteBuffer: bytes))
    }
    let application = Application(
      router: router, configuration: .init(address: .hostname("127.0.0.1", port: port)))
    try await application.runService()
  }
}
