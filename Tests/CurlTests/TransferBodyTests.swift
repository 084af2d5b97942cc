import Glibc
import LoopbackServer
import SystemIO
import TestSupport
import Testing

@testable import Curl

@Suite("Bodies of requests", .timeLimit(.minutes(8)))
struct TransferBodyTests {
  private let server: LoopbackServer

  init() throws {
    server = try LoopbackServer { request in
      Page(text: "a", status: request.target.hasSuffix("refused") ? 507 : 201)
    }
  }

  private static let bytes: [UInt8] = (0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 31 ^ $0 >> 8) }

  private func file(_ bytes: [UInt8], in directory: TestDirectory) throws -> TransferBody {
    let path = directory.path + "/body"
    try File.write(bytes, to: path)
    return .file(.init(try FileDescriptor(opening: path, O_RDONLY)), byteCount: bytes.count)
  }

  @Test("are sent whole with their length, from memory and from a file", arguments: [0, 1, 65_536, 300_000])
  func whole(count: Int) async throws {
    let directory = try TestDirectory()
    let bytes = Array(Self.bytes.prefix(count))
    let bodies = [TransferBody.bytes(bytes), try file(bytes, in: directory)]
    try await withEngine { engine in
      for body in bodies {
        let result = try await engine.result(server.url("/a")) { $0.body = body }
        #expect(result.head.status == 201)
      }
    }
    for request in server.requests {
      #expect(request.method == "PUT" && request.body == bytes)
      #expect(request.field("Content-Length") == "\(count)" && request.field("Expect") == nil)
    }
    #expect(server.requests.count == 2)
  }

  @Test("that a server refuses are an answer with a status")
  func refused() async throws {
    try await withEngine { engine in
      let result = try await engine.result(server.url("/refused")) { $0.body = .bytes(Self.bytes) }
      #expect(result.head.status == 507)
    }
  }

  @Test("from a file that has become shorter fail the transfer, and the next one is none the worse")
  func shortened() async throws {
    let directory = try TestDirectory()
    let body = try file(Self.bytes, in: directory)
    #expect(truncate(directory.path + "/body", 1000) == 0)
    try await withEngine { engine in
      let error = await engine.failure(server.url("/a")) { $0.body = body }
      #expect(error?.reason == .bodyUnreadable, "\(String(describing: error))")
      let next = try await engine.result(server.url("/b")) { $0.body = .bytes([1, 2]) }
      #expect(next.head.status == 201)
    }
  }
}
