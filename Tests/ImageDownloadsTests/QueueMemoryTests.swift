import Foundation
import ImageDownloads
import LoopbackServer
import Synchronization
import Testing

@Suite("A long queue", .timeLimit(.minutes(8)))
struct QueueMemoryTests {
  @Test(
    "100,000 downloads that wait take less than 200 MB, and all of them end",
    .enabled(
      if: getenv("IMAGEMILL_SOAK") != nil,
      "it measures the whole process, alone; set IMAGEMILL_SOAK to have it run with --filter QueueMemory")
  )
  func memory() async throws {
    let gate = Gate()
    let server = try LoopbackServer { _ in
      gate.wait()
      return page(1)
    }
    defer { server.stop() }
    var configuration = Fixture.configuration
    configuration.activeDownloads = 4
    configuration.activeDownloadsPerHost = 4
    let fixture = try Fixture()
    let count = 100_000
    let ended = Mutex(0)
    let all = Gate()
    let before = try residentMegabytes()
    try await fixture.withDownloader(configuration) { downloader in
      for number in 0..<count {
        let request = ImageRequest(.url(server.url("/photographs/2026/november/\(number).jpeg")))
        downloader.download(request, owner: "manifest") { _ in
          let isLast = ended.withLock { ended in
            ended += 1
            return ended == count
          }
          if isLast { all.open() }
        }
      }
      while downloader.queuedCount < count - 4 { try await Task.sleep(for: .milliseconds(50)) }
      let used = try residentMegabytes() - before
      #expect(used < 200, "\(used) MB")
      print("100,000 queued downloads: \(used) MB")
      downloader.cancelAll()
      gate.open()
      await all.passed()
    }
    #expect(ended.withLock { $0 } == count)
  }

  private func residentMegabytes() throws -> Int {
    let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
    let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") })
    return try #require(line.split(separator: " ").compactMap { Int($0) }.first) / 1000
  }
}
