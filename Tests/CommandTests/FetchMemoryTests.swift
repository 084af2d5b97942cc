import Foundation
import LoopbackServer
import Testing

@Suite("imagemill fetch, of much", .timeLimit(.minutes(8)))
struct FetchMemoryTests {
  @Test("a long body takes no more memory than a short one, on its way into the cache and out of it")
  func longBody() throws {
    let command = try CommandRun()
    let body = [UInt8](repeating: 7, count: 150 << 20)
    let server = try LoopbackServer { request in
      Page(request.path == "/long" ? body : Array(body.prefix(1 << 20)), type: "image/png")
    }
    defer { server.stop() }
    func peak(of path: String, count: Int) throws -> Int {
      let process = command.process([
        "fetch", "--allow-net", "loopback", "--output", "-", server.url(path),
      ])
      let output = Pipe()
      process.standardOutput = output
      try process.run()
      var received = output.fileHandleForReading.availableData.count
      // It waits for its reader now: everything is in the cache, and on its way out.
      let peak = try CommandRun.peakMemory(of: process)
      while case let data = output.fileHandleForReading.availableData, !data.isEmpty {
        received += data.count
      }
      process.waitUntilExit()
      #expect(process.terminationStatus == 0 && received == count)
      return peak
    }
    let short = try peak(of: "/short", count: 1 << 20)
    let long = try peak(of: "/long", count: body.count)
    #expect(long - short < 20_000_000, "\(short) and \(long) bytes")
  }
}
