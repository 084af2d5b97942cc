import Glibc
import ImageBatch
import Synchronization
import TerminalText
import Testing

@testable import Reports

@Suite("The live display", .timeLimit(.minutes(8)))
struct ProgressDisplayTests {
  static func busy() -> ProgressState {
    var state = ProgressState()
    let events: [BatchEvent] = [
      .jobsCounted(120),
      .downloadStarted(
        id: 1, source: "https://cdn.example.com/pictures/of/the/summer/hero-large.jpg",
        host: "cdn.example.com"),
      .downloadProgressed(id: 1, received: 1_200_000, expected: 4_000_000),
      .downloadStarted(id: 2, source: "https://例え.jp/写真/夏の🏖️.png", host: "例え.jp"),
      .downloadStarted(id: 3, source: "https://cdn.example.com/b.jpg", host: "cdn.example.com"),
      .renderingStarted(slot: 1, job: 3, source: "https://cdn.example.com/c.jpg"),
      .renderingStarted(slot: 0, job: 2, source: "https://a.example.com/\u{1B}[2Jd.jpg"),
    ]
    for event in events { state.apply(event, at: 9) }
    for index in 1...45 {
      state.apply(.outputFinished(index % 9 == 0 ? .failing(index) : .written(index)), at: 9.5)
      state.apply(.jobFinished(JobResult(.written(index))), at: 9.5)
    }
    return state
  }

  func lines(columns: Int, rows: Int = 24, _ state: ProgressState = busy()) -> [String] {
    ProgressLines(state: state, size: TerminalSize(columns: columns, rows: rows), seconds: 10).lines
      .map { $0.text(color: false) }
  }

  @Test func `at 80 columns`() {
    #expect(
      lines(columns: 80) == [
        "45 of 120 jobs ━━━━━━━━━━━─────────────────── 37 %, about 17 s left",
        "40 written, 5 failed",
        "↓ 1.2 MB, 240.0 kB/s, 3 downloads: cdn.example.com 2, 例え.jp 1",
        "  https://cdn.example.com/pictu…/of/the/summer/hero-large.jpg  1.2 MB of 4.0 MB",
        "  https://例え.jp/写真/夏の🏖.png                                0 B",
        "  https://cdn.example.com/b.jpg                                 0 B",
        "▸ 1 https://a.example.com/\u{FFFD}[2Jd.jpg",
        "▸ 2 https://cdn.example.com/c.jpg",
      ])
  }

  @Test func `in a locale without UTF-8 its own characters are ASCII, of the same width`() {
    for line in ProgressLines(state: Self.busy(), size: TerminalSize(columns: 80, rows: 24), seconds: 10)
      .lines
    {
      let text = line.text(color: false, unicode: false)
      #expect(TerminalText.width(text) == line.width)
      #expect(!text.contains { "━─▸↓…".contains($0) }, "\(text)")
    }
  }

  @Test func `at 24 columns there are fewer words, and what has failed among them`() {
    #expect(
      lines(columns: 24) == [
        "45/120 37 %, 17 s left",
        "40 written, 5 failed",
        "↓ 1.2 MB, 240.0 kB/s",
        "  cdn.ex…ge.jpg  1.2 MB",
        "  例え.jp/…の🏖.png  0 B",
        "  cdn.exam…m/b.jpg  0 B",
        "▸ 1 a.example…\u{FFFD}[2Jd.jpg",
        "▸ 2 cdn.examp…com/c.jpg",
      ])
  }

  @Test(arguments: [
    (17, "45/120, 17 s left", "40 done, 5 failed"), (12, "45/120 37 %", "5 failed"), (7, "45/120", "5 fail…"),
  ])
  func `what matters most stays longest`(columns: Int, headline: String, outcomes: String) {
    #expect(Array(lines(columns: columns + 1).prefix(2)) == [headline, outcomes])
  }

  @Test(arguments: [
    ("https://a.jp/%E7%8C%AB%20%F0%9F%8F%96.png", "https://a.jp/猫 🏖.png"), ("100%", "100%"),
    ("%zz%4", "%zz%4"),
    ("%FFa%41%C3", "%FFa%41%C3"), ("a%1B[2J", "a\u{1B}[2J"), ("é%C3%A9", "éé"), ("", ""),
  ])
  func `an address is shown as people read it, where it says anything`(address: String, text: String) {
    #expect(PercentText.decoded(address) == text)
  }

  @Test(arguments: 1...120)
  func `no line is wider than the terminal, nor the display higher`(columns: Int) {
    for rows in [1, 2, 5, 50] {
      let lines = lines(columns: columns, rows: rows)
      #expect(lines.allSatisfy { TerminalText.width($0) <= max(1, columns - 1) }, "\(lines)")
      #expect(lines.count <= rows - 1)
    }
  }

  @Test func `a stream's jobs have no end to count to`() {
    var state = ProgressState()
    state.apply(.jobFinished(JobResult(.written())), at: 1)
    #expect(lines(columns: 80, state).first == "1 job done, 10 s")
  }

  @Test func `a try that begins anew takes nothing back`() {
    var state = ProgressState()
    state.apply(.downloadStarted(id: 1, source: "a", host: "h"), at: 0)
    state.apply(.downloadProgressed(id: 1, received: 100, expected: nil), at: 1)
    state.apply(.downloadProgressed(id: 1, received: 10, expected: nil), at: 2)
    state.apply(.downloadFinished(id: 1, bytes: 50, failed: false), at: 3)
    #expect(state.receivedBytes == 140)
    #expect(state.downloads.isEmpty)
  }

  @Test func `ten drawings a second, whatever happens`() {
    let (screen, clock) = (Screen(columns: 80, rows: 24), HandClock())
    let display = screen.display(clock)
    for index in 1...1000 {
      clock.advance(seconds: 0.001)
      display.receive(.jobFinished(JobResult(.written(index))))
    }
    #expect((7...9).contains(screen.writes), "from a quarter of a second on")
  }

  @Test func `what is over at once has no display that flashes up`() {
    let (screen, clock) = (Screen(columns: 80, rows: 24), HandClock())
    let display = screen.display(clock)
    display.receive(.jobsCounted(1))
    clock.advance(seconds: 0.2)
    display.receive(.jobFinished(JobResult(.written())))
    display.receive(.finished(.large))
    #expect(screen.writes == 0)
  }

  @Test func `messages stand above, and nothing is left behind`() throws {
    let (screen, clock) = (Screen(columns: 80, rows: 24), HandClock())
    let display = screen.display(clock)
    clock.advance(seconds: 1)
    display.receive(.jobsCounted(3))
    #expect(screen.text.hasPrefix("0 of 3 jobs"))
    #expect(display.writeAbove("m.yaml:4:5: error: x\n"))
    #expect(screen.lines.first == "m.yaml:4:5: error: x")
    #expect(screen.lines.dropFirst().first?.hasPrefix("0 of 3 jobs") == true)
    clock.advance(seconds: 1)
    display.receive(.downloadStarted(id: 1, source: "https://a.example/a.jpg", host: "a.example"))
    #expect(screen.lines.contains { $0.contains("a.example/a.jpg") })
    clock.advance(seconds: 1)
    display.receive(.downloadFinished(id: 1, bytes: 10, failed: false))
    #expect(!screen.lines.contains { $0.contains("a.example/a.jpg") })
    display.receive(.finished(.large))
    #expect(display.writeAbove("jobs 3\n"))
    display.tick()
    try display.finish()
    #expect(screen.lines == ["m.yaml:4:5: error: x", "jobs 3"])
  }

  @Test func `a terminal that changes its width is left clean`() {
    let (screen, clock) = (Screen(columns: 100, rows: 40), HandClock())
    let display = screen.display(clock)
    #expect(display.writeAbove("before\n"))
    display.receive(.jobsCounted(120))
    for id in 1...3 {
      display.receive(.downloadStarted(id: id, source: String(repeating: "long/", count: 30), host: "h"))
    }
    for columns in [100, 40, 20, 80] {
      screen.resize(columns: columns)
      clock.advance(seconds: 1)
      display.tick()
      #expect(screen.lines.filter { $0.hasPrefix("0 of 120 jobs") }.count == 1, "\(columns)")
    }
    display.clear()
    #expect(screen.lines == ["before"])
  }

  @Test func `a terminal's size is asked of it, each time`() {
    let terminal = open("/dev/ptmx", O_RDWR | O_NOCTTY)
    #expect(terminal >= 0)
    defer { close(terminal) }
    for (columns, rows) in [(132, 43), (7, 2)] {
      var size = winsize(ws_row: UInt16(rows), ws_col: UInt16(columns), ws_xpixel: 0, ws_ypixel: 0)
      #expect(ioctl(terminal, UInt(TIOCSWINSZ), &size) == 0)
      #expect(TerminalSize.current(of: terminal) == TerminalSize(columns: columns, rows: rows))
    }
    #expect(TerminalSize.current(of: -1) == TerminalSize(columns: 80, rows: 24))
  }

  @Test func `color is written only where it is wanted`() {
    let line = StyledLine("4 failed", .red)
    #expect(line.text(color: false) == "4 failed")
    #expect(line.text(color: true) == "\u{1B}[31m4 failed\u{1B}[0m")
    #expect(line.cut(to: 3).text(color: true) == "\u{1B}[31m4 …\u{1B}[0m")
  }
}

/// As much of a terminal as the display needs, with lines that break anew when the width changes.
final class Screen: Sendable {
  private struct State {
    /// Each line and where it ends: with a line feed, or because it was full.
    var rows: [String] = [""]
    var row = 0
    var column = 0
    var size: TerminalSize
    var writes = 0
  }

  private let state: Mutex<State>

  init(columns: Int, rows: Int) { state = Mutex(State(size: TerminalSize(columns: columns, rows: rows))) }

  var writes: Int { state.withLock { $0.writes } }
  var text: String { lines.joined(separator: "\n") }
  /// Without the empty ones at the end.
  var lines: [String] {
    state.withLock { state in
      Array(state.rows[..<((state.rows.lastIndex { !$0.isEmpty } ?? -1) + 1)])
    }
  }

  func display(_ clock: HandClock) -> ProgressDisplay {
    ProgressDisplay(
      usesColor: false, size: { self.state.withLock { $0.size } }, now: clock.now, write: { self.write($0) })
  }

  /// Breaks lines that are now too long, as terminals do. (What was broken stays so: the display's lines are short
  /// of the width, and only those matter here.)
  func resize(columns: Int) {
    state.withLock { state in
      state.size.columns = columns
      var rows: [String] = []
      for row in state.rows {
        var rest = Substring(row)
        repeat {
          rows.append(String(rest.prefix(columns)))
          rest = rest.dropFirst(columns)
        } while !rest.isEmpty
      }
      state.row += rows.count - state.rows.count
      state.rows = rows
    }
  }

  func write(_ text: String) -> Bool {
    state.withLock { state in
      state.writes += 1
      var rest = Substring(text)
      while let character = rest.first {
        if let match = rest.prefixMatch(of: /\u{1B}\[(\d*)([AJK])/) {
          rest = rest[match.range.upperBound...]
          switch match.output.2 {
          case "A": state.row = max(0, state.row - (Int(match.output.1) ?? 1))
          case "K": state.rows[state.row] = String(state.rows[state.row].prefix(state.column))
          default:
            state.rows[state.row] = String(state.rows[state.row].prefix(state.column))
            state.rows = Array(state.rows[...state.row])
          }
          continue
        }
        rest = rest.dropFirst()
        switch character {
        case "\n":
          state.row += 1
          state.column = 0
          if state.row == state.rows.count { state.rows.append("") }
        case "\r": state.column = 0
        default:
          var row = Array(state.rows[state.row])
          if state.column < row.count { row[state.column] = character } else { row.append(character) }
          state.rows[state.row] = String(row)
          state.column += 1
        }
      }
      return true
    }
  }
}
