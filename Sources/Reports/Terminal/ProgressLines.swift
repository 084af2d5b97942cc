import TerminalText
import ImageRendering

/// The lines of a live display: a pure function of the progress, the terminal's size and the time.
struct ProgressLines {
  private static let shownDownloads = 4
  private static let shownRenderings = 4

  let state: ProgressState
  let size: TerminalSize
  /// The time since the start of the batch.
  let seconds: Double

  /// The usable columns. The last column stays empty, because some terminals wrap when it is filled.
  private var columns: Int { max(1, size.columns - 1) }

  var lines: [StyledLine] {
    var lines = [headline]
    if let outcomes { lines.append(outcomes) }
    if !state.downloads.isEmpty || state.receivedBytes > 0 { lines.append(transfers) }
    lines += state.downloads.prefix(Self.shownDownloads).map(download)
    lines += state.renderings.prefix(Self.shownRenderings).map(rendering)
    // Keep one row free for the user's input.
    return lines.prefix(size.rows - 1).map { $0.cut(to: columns) }
  }

  /// The first form that fits, or else the last, cut. Narrow terminals get a shorter form instead of a truncated one.
  private func fitting(_ forms: [StyledLine]) -> StyledLine {
    forms.first { $0.width <= columns } ?? forms.last ?? StyledLine()
  }

  /// `45 of 120 jobs ━━━━━━━───────────── 37 %, about 20 s left`; at 20 columns `45/120, 20 s left`.
  private var headline: StyledLine {
    guard let jobs = state.jobs, let fraction = state.fraction else {
      let time = QuantityText.duration(seconds: seconds)
      return fitting([
        StyledLine(QuantityText.count(state.jobsEnded, "job"), .bold) + " done, \(time)",
        StyledLine("\(state.jobsEnded) done", .bold), StyledLine("\(state.jobsEnded)", .bold),
      ])
    }
    let time = state.secondsLeft(at: seconds).map { QuantityText.duration(seconds: $0) }
    let long = StyledLine("\(state.jobsEnded) of \(QuantityText.count(jobs, "job"))", .bold)
    let short = StyledLine("\(state.jobsEnded)/\(jobs)", .bold)
    let percent = " \(Int(fraction * 100)) %"
    let end = percent + (time.map { ", about \($0) left" } ?? "")
    let room = min(max(30, columns / 4), columns - long.width - TerminalText.width(end) - 1)
    if room >= 5 { return long + " " + bar(fraction, columns: room) + end }
    let left = time.map { ", \($0) left" } ?? ""
    return fitting([
      long + end, short + percent + left, short + left, short + percent, short,
    ])
  }

  private func bar(_ fraction: Double, columns: Int) -> StyledLine {
    let done = Int(Double(columns) * fraction)
    return StyledLine(String(repeating: "━", count: done), .green)
      + StyledLine(String(repeating: "─", count: columns - done), .faint)
  }

  /// `310 written, 40 unchanged, 12 cached, 4 failed` without the zeros; nil if all are.
  private var outcomes: StyledLine? {
    let failed = StyledLine("\(state.failed) failed", .red)
    let counts = [(state.written, "written"), (state.unchanged, "unchanged"), (state.cached, "cached")]
      .filter { $0.0 > 0 }
    let done = counts.reduce(0) { $0 + $1.0 }
    let list = StyledLine(counts.map { "\($0) \($1)" }.joined(separator: ", "))
    let sum = StyledLine("\(done) done")
    guard state.failed > 0 else { return done > 0 ? fitting([list, sum]) : nil }
    return done > 0 ? fitting([list + ", " + failed, sum + ", " + failed, failed]) : failed
  }

  /// `↓ 8.1 MB, 2.3 MB/s, 12 downloads: cdn.example.com 6, a.example.com 4, 2 others`
  private var transfers: StyledLine {
    let speed = "\(QuantityText.bytes(Int(state.bytesPerSecond(at: seconds))))/s"
    let arrow = StyledLine("↓ ", .cyan)
    let amounts = arrow + "\(QuantityText.bytes(state.receivedBytes)), \(speed)"
    guard !state.downloads.isEmpty else { return fitting([amounts, arrow + speed]) }
    let downloads = amounts + ", \(QuantityText.count(state.downloads.count, "download"))"
    let forms = [3, 2, 1].map { downloads + ": \(hosts($0))" }
    return fitting(forms + [downloads, amounts, arrow + speed])
  }

  /// The `limit` hosts with the most downloads, and the number of other hosts.
  private func hosts(_ limit: Int) -> String {
    var counts: [(host: String, count: Int)] = []
    for download in state.downloads {
      if let position = counts.firstIndex(where: { $0.host == download.host }) {
        counts[position].count += 1
      } else {
        counts.append((download.host, 1))
      }
    }
    let shown = counts.sorted { ($1.count, $0.host) < ($0.count, $1.host) }.prefix(limit)
    let others = counts.count - shown.count
    return
      (shown.map { "\($0.host) \($0.count)" } + (others > 0 ? [QuantityText.count(others, "other")] : []))
      .joined(separator: ", ")
  }

  /// `  https://cdn.example.com/…/hero.jpg  1.2 MB of 4.0 MB`
  private func download(_ download: ProgressState.Download) -> StyledLine {
    var amount = QuantityText.bytes(download.received)
    if let expected = download.expected, columns >= 40 { amount += " of \(QuantityText.bytes(expected))" }
    let room = max(4, columns - TerminalText.width(amount) - 4)
    // On a wide terminal the end of a line would be far from its source otherwise.
    let width = min(room, max(60, columns * 2 / 3))
    let source = shown(download.source, in: width)
    return StyledLine("  ") + TerminalText.padded(source, to: width) + StyledLine("  \(amount)", .faint)
  }

  /// `▸ 2 https://cdn.example.com/…/hero.jpg`
  private func rendering(_ rendering: ProgressState.Rendering) -> StyledLine {
    let slot = StyledLine("▸ \(rendering.slot + 1) ", .green)
    return slot + shown(rendering.source, in: max(8, columns - slot.width))
  }

  /// The source, percent-decoded (`%E7%8C%AB` as `猫`) and shortened in the middle. Narrow lines omit its scheme.
  private func shown(_ source: String, in room: Int) -> String {
    let text = TerminalText.unjoined(TerminalText.visible(PercentText.decoded(source)))
    let bare = text.firstRange(of: "://").map { String(text[$0.upperBound...]) } ?? text
    return TerminalText.truncated(
      room < 40 && TerminalText.width(text) > room ? bare : text, to: room, inTheMiddle: true)
  }
}
