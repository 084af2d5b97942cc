import Foundation
import LoopbackServer

/// A suite of the built command with object storage.
protocol ObjectStorageSuite {
  var command: CommandRun { get }
  var server: ObjectServer { get }
}

extension ObjectStorageSuite {
  var environment: [String: String] {
    ObjectServer.environment.merging([
      "AWS_ENDPOINT_URL_S3": server.endpoint, "IMAGEMILL_ALLOW_NET": "loopback",
      "IMAGEMILL_RETRY_WAIT": "20ms",
    ]) { $1 }
  }

  func run(_ arguments: String..., input: String = "") async throws -> CommandRun.Outcome {
    try await command.run(arguments: arguments, input: Data(input.utf8), environment: environment)
  }

  func addSources(_ count: Int, seed: Int = 0) {
    for number in 0..<count {
      server.put(PNGImage.bytes(width: 8, height: 6, seed: seed + number), at: "/in/\(number).png")
    }
  }

  func sources(_ count: Int) -> String {
    (0..<count).map { "s3://in/\($0).png\n" }.joined()
  }

  var outputs: [String: PutObject] { server.objects.filter { $0.key.hasPrefix("/out/") } }

  /// The requests since the last call that aren't for sources.
  func requests(after count: Int) -> [Request] {
    server.server.requests.dropFirst(count).filter { $0.path.hasPrefix("/out") }
  }
}
