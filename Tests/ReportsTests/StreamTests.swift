import Foundation
import ImageBatch
import Testing

@testable import Reports

@Suite("Events and plain progress", .timeLimit(.minutes(8)))
struct StreamTests {
  static let everyEvent: [BatchEvent] = [
    .jobsCounted(2), .downloadStarted(id: 7, source: "s", host: "h"),
    .downloadProgressed(id: 7, received: 10, expected: nil),
    .downloadFinished(id: 7, bytes: 20, failed: false),
    .renderingStarted(slot: 0, job: 1, source: "s"), .renderingFinished(slot: 0),
    .warning(BatchWarning(message: "w")), .outputFinished(.written()), .jobFinished(JobResult(.written())),
    .finished(.large),
  ]

  @Test func `every event is a line with its name and time`() throws {
    let (transcript, clock) = (Transcript(), HandClock())
    let lines = EventLines(now: clock.now, write: transcript.write)
    for event in Self.everyEvent {
      clock.advance(seconds: 0.5)
      lines.receive(event)
    }
    let objects = try transcript.text.split(separator: "\n").map {
      try #require(JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])
    }
    #expect(
      objects.compactMap { $0["event"] as? String } == [
        "jobs-counted", "download-started", "download-progressed", "download-finished",
        "rendering-started", "rendering-finished", "warning", "output-finished", "job-finished", "finished",
      ])
    try #require(objects.count == 10)
    #expect(objects.map { $0["time"] as? Double } == (1...10).map { Double($0) / 2 })
    #expect(objects[2]["received"] as? Int == 10)
    #expect(objects[2]["expected"] is NSNull)
    #expect(objects[7]["sha256"] as? String == String(repeating: "ab", count: 32))
    #expect(objects[9]["outputsWritten"] as? Int == 300)
  }

  @Test func `nothing is written to a reader that has gone`() {
    let transcript = Transcript(capacity: 2)
    let lines = EventLines(write: transcript.write)
    for event in Self.everyEvent { lines.receive(event) }
    #expect(transcript.count == 3)
  }

  @Test func `nothing follows the line of finished, whichever thread it comes from`() async {
    for event in Self.everyEvent {
      let transcript = Transcript()
      let lines = EventLines(write: transcript.write)
      await withTaskGroup { group in
        for _ in 1...4 { group.addTask { for _ in 1...20 { lines.receive(event) } } }
        group.addTask { lines.receive(.finished(.large)) }
      }
      lines.receive(event)
      let names = transcript.text.split(separator: "\n").map { $0.contains("\"finished\"") }
      #expect(names.filter { $0 }.count == 1 && names.last == true, "\(event)")
    }
  }

  @Test func `plain progress is a line every few seconds and no more`() {
    let (transcript, clock) = (Transcript(), HandClock())
    let progress = PlainProgress(interval: 5, now: clock.now, write: transcript.write)
    progress.receive(.jobsCounted(10))
    progress.receive(.downloadStarted(id: 1, source: "a", host: "h"))
    clock.advance(seconds: 4.9)
    progress.receive(.downloadProgressed(id: 1, received: 1_000_000, expected: nil))
    #expect(transcript.text == "")
    progress.receive(.outputFinished(.failing()))
    progress.receive(.jobFinished(JobResult(.failing())))
    clock.advance(seconds: 0.1)
    progress.tick()
    progress.tick()
    #expect(
      transcript.text
        == "imagemill: 1 of 10 jobs (10 %), 1 output failed; 1 download under way, 1.0 MB received (200.0 kB/s); about 45 s left\n"
    )
    clock.advance(seconds: 5)
    progress.receive(.finished(.large))
    #expect(transcript.count == 1)
  }
}
