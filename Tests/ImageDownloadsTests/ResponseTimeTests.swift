import Curl
import ImageCaches
import SystemIO
import Testing

@testable import ImageDownloads

/// RFC 9111, section 4.2.3: a response's age is counted from the time at which it came.
@Suite("The time of a response", .timeLimit(.minutes(8)))
struct ResponseTimeTests {
  @Test("is that of its head, however long its body takes")
  func head() throws {
    let store = try DiskStore.ephemeral()
    let key = ContentDigest(hashing: [1])
    let sink = BodySink(
      BodySink.Configuration(
        source: "a", url: "http://a.example/a",
        makeFile: { isWorthKeeping throws(CacheError) in
          try store.makePartialFile(key, isWorthKeeping: isWorthKeeping)
        }, progress: { _, _ in }))
    #expect(sink.body.headTime == nil)
    let before = SystemTime.now
    #expect(sink.receive(head: ResponseHead(status: 401)))
    let challenged = SystemTime.now
    #expect(sink.receive(head: ResponseHead(status: 200)))
    let answered = SystemTime.now
    for _ in 0..<3 { #expect([UInt8](repeating: 7, count: 1000).withUnsafeBytes { sink.receive(bytes: $0) }) }
    let body = sink.finish()
    let time = try #require(body.headTime)
    #expect(body.byteCount == 3000)
    #expect(before <= challenged && challenged <= time && time <= answered)
  }
}
