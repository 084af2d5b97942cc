import Glibc
import ImageBatch
import TerminalText
import TestSupport
import Testing

@testable import Reports

@Suite("The live display, whatever happens", .timeLimit(.minutes(8)))
struct DisplayPropertyTests {
  private let seed = SeededRandom.seed

  private static func source(_ random: inout SeededRandom) -> String {
    let parts = [
      "a", "é", "猫", "👩‍👩‍👧", "e\u{301}", "\u{1B}[2J", "/", "%E7%8C%AB", "\u{202E}", "ｗ", "\u{200D}", " ",
    ]
    return "https://h.example/"
      + (0..<Int.random(in: 0...40, using: &random)).map { _ in parts.randomElement(using: &random) ?? "" }
      .joined()
  }

  private static func event(_ random: inout SeededRandom, ids: inout [Int]) -> BatchEvent {
    let host = ["a.example", "b.example", "例え.jp", "c.example"].randomElement(using: &random) ?? ""
    switch Int.random(in: 0...9, using: &random) {
    case 0: return .jobsCounted(Int.random(in: 0...2000, using: &random))
    case 1, 2:
      ids.append((ids.last ?? 0) + 1)
      return .downloadStarted(id: ids.last ?? 0, source: source(&random), host: host)
    case 3:
      return .downloadProgressed(
        id: ids.randomElement(using: &random) ?? 0,
        received: Int.random(in: 0...1_000_000_000, using: &random),
        expected: Bool.random(using: &random) ? 2_000_000_000 : nil)
    case 4:
      let id = ids.randomElement(using: &random) ?? 0
      ids.removeAll { $0 == id }
      return .downloadFinished(
        id: id, bytes: Int.random(in: 0...5000, using: &random), failed: Bool.random(using: &random))
    case 5:
      return .renderingStarted(slot: Int.random(in: 0...6, using: &random), job: 1, source: source(&random))
    case 6: return .renderingFinished(slot: Int.random(in: 0...6, using: &random))
    case 7: return .outputFinished(Bool.random(using: &random) ? .written() : .failing())
    case 8: return .jobFinished(JobResult(.written()))
    default: return .warning(BatchWarning(message: "w"))
    }
  }

  @Test("no line reaches the last column, nor the display the last row, at any size")
  func sizes() {
    var random = SeededRandom(seed: seed)
    for round in 0..<15 {
      var state = ProgressState()
      var ids: [Int] = []
      for step in 0..<Int.random(in: 0...60, using: &random) {
        state.apply(Self.event(&random, ids: &ids), at: Double(step) / 10)
      }
      for columns in [1, 2, 3, 5, 8, 13, 20, 40, 79, 80, 200] {
        for rows in [1, 2, 3, 24] {
          let lines = ProgressLines(
            state: state, size: TerminalSize(columns: columns, rows: rows), seconds: 6
          ).lines
          #expect(lines.count < max(rows, 1) || rows == 1 && lines.isEmpty, "seed \(seed), round \(round)")
          for line in lines {
            let text = line.text(color: false)
            #expect(
              line.width <= max(1, columns - 1), "seed \(seed), round \(round): \(columns) columns: \(text)")
            #expect(TerminalText.width(text) == line.width)
            #expect(
              !text.unicodeScalars.contains { $0.properties.generalCategory == .control || $0 == "\u{202E}" })
          }
        }
      }
    }
  }

  @Test("any events, messages and pauses: at the end the terminal has the messages and nothing else")
  func terminal() {
    var random = SeededRandom(seed: seed)
    for round in 0..<60 {
      let (transcript, clock) = (Transcript(), HandClock())
      let display = ProgressDisplay(
        usesColor: Bool.random(using: &random), size: { TerminalSize(columns: 70, rows: 12) },
        now: clock.now,
        write: transcript.write)
      var ids: [Int] = []
      var messages: [String] = []
      for step in 0..<80 {
        clock.advance(seconds: Double.random(in: 0...0.2, using: &random))
        switch Int.random(in: 0...9, using: &random) {
        case 0:
          messages.append("message \(step)")
          #expect(display.writeAbove("message \(step)\n"))
        case 1:
          messages.append("result \(step)")
          #expect(display.above { transcript.write("result \(step)\n") })
        case 2: display.tick()
        case 3: display.hide()
        default: display.receive(Self.event(&random, ids: &ids))
        }
      }
      if Bool.random(using: &random) { display.receive(.finished(.large)) } else { display.clear() }
      display.tick()
      #expect(display.writeAbove("summary\n"))
      var terminal = FakeTerminal()
      terminal.write(transcript.text)
      #expect(terminal.text == messages + ["summary"], "seed \(seed), round \(round)")
      #expect(terminal.unknown.isEmpty)
    }
  }

  @Test("the numbers are those of the events")
  func numbers() {
    var random = SeededRandom(seed: seed)
    for _ in 0..<100 {
      var state = ProgressState()
      var ids: [Int] = []
      var (jobs, written, failed) = (0, 0, 0)
      var received: [Int: Int] = [:]
      var bytes = 0
      for step in 0..<120 {
        let event = Self.event(&random, ids: &ids)
        state.apply(event, at: Double(step))
        switch event {
        case .jobFinished: jobs += 1
        case .outputFinished(let result): if result.status == .failed { failed += 1 } else { written += 1 }
        case .downloadStarted(let id, _, _): received[id] = 0
        case .downloadProgressed(let id, let count, _):
          guard let before = received[id] else { continue }
          bytes += max(0, count - before)
          received[id] = count
        case .downloadFinished(let id, let count, _, _):
          if let before = received.removeValue(forKey: id) { bytes += max(0, count - before) }
        default: break
        }
        #expect(state.downloads.map(\.id).sorted() == received.keys.sorted(), "seed \(seed)")
      }
      #expect(state.jobsEnded == jobs && state.written == written && state.failed == failed)
      #expect(state.receivedBytes == bytes, "seed \(seed)")
      #expect(state.renderings.map(\.slot) == Set(state.renderings.map(\.slot)).sorted())
      if let fraction = state.fraction { #expect((0...1).contains(fraction)) }
    }
  }

  @Test("a speed is that of the last seconds, and falls to nothing")
  func speed() {
    var meter = SpeedMeter()
    #expect(meter.bytesPerSecond(at: 0) == 0)
    for step in 0..<200 { meter.add(100, at: Double(step) / 10) }
    #expect(abs(meter.bytesPerSecond(at: 19.9) - 1000) < 120)
    #expect(meter.bytesPerSecond(at: 23) < 600)
    #expect(meter.bytesPerSecond(at: 60) == 0)
    meter.add(500, at: 60)
    #expect(meter.bytesPerSecond(at: 60) == 100)
  }

  @Test("a line that is cut is as wide as it may be, whatever is in it")
  func cutting() {
    var random = SeededRandom(seed: seed)
    for _ in 0..<100 {
      var line = StyledLine()
      for _ in 0..<Int.random(in: 0...5, using: &random) {
        line.append(
          String(Self.source(&random).dropFirst(18).prefix(8)), Bool.random(using: &random) ? .red : .plain)
      }
      for columns in 0...20 {
        let cut = line.cut(to: columns)
        #expect(cut.width <= columns, "seed \(seed)")
        if line.width <= columns {
          #expect(cut == line)
        } else if columns > 0 {
          #expect(cut.text(color: false).hasSuffix("…"), "seed \(seed): \(cut.text(color: false))")
        }
      }
    }
  }

  @Test(
    "quantities are said as people read them",
    arguments: [
      (0, "0 B"), (999, "999 B"), (1000, "1.0 kB"), (999_949, "999.9 kB"), (999_950, "1.0 MB"),
      (1_234_567, "1.2 MB"),
      (999_950_000, "1.0 GB"), (5_000_000_000_000, "5.0 TB"), (9_999_000_000_000_000, "9999.0 TB"),
    ])
  func bytes(count: Int, text: String) { #expect(QuantityText.bytes(count) == text) }

  @Test(
    "durations are said as people read them",
    arguments: [
      (-5.0, "0 s"), (0.4, "0 s"), (0.5, "1 s"), (59.4, "59 s"), (59.6, "1 min 00 s"), (125, "2 min 05 s"),
      (3599.6, "1 h 00 min"), (4200, "1 h 10 min"), (1e300, "277777 h 46 min"),
      (Double.infinity, "277777 h 46 min"),
    ])
  func durations(seconds: Double, text: String) { #expect(QuantityText.duration(seconds: seconds) == text) }

  @Test("a batch is good only where everything is in place, and the verdict agrees")
  func verdicts() {
    var random = SeededRandom(seed: seed)
    for _ in 0..<300 {
      var summary = BatchSummary()
      func few() -> Int { Int.random(in: 0...2, using: &random) }
      (summary.jobsFailed, summary.jobsNotStarted, summary.outputsFailed) = (few(), few(), few())
      summary.isInputUnread = few() == 0
      summary.outputs = summary.outputsFailed + few()
      let verdict = Summary.verdict(summary)
      #expect(
        Summary.isGood(summary)
          == !["failed", "not started", "stopped before the end"].contains(where: verdict.contains),
        "\(verdict)")
      #expect(!Summary.text(summary).contains("\n"))
    }
  }
}
