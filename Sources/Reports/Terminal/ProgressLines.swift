import TerminalText

/// What a live display shows: a function of what goes on, the room and the time, and of nothing else.
struct ProgressLines {
  private static let shownDownloads = 4
  private static let shownRenderings = 4

  let state: ProgressState
  let size: TerminalSize
  /// Since the batch began.
  let seconds: Double

  /// The last column stays free: some terminals begin a new line when it is filled.
  private var columns: Int { max(1, size.columns - 1) }

  var lines: [StyledLine] {
    var lines = [headline, outcomes]
    if !state.downloads.isEmpty || state.receivedBytes > 0 { lines.append(transfers) }
    lines += state.downloads.prefix(Self.shownDownloads).map(download)
    lines += state.renderings.prefix(Self.shownRenderings).map(rendering)
    // A line stays free for what the user types.
    return lines.prefix(max(1, size.rows - 1)).map { $0.cut(to: columns) }
  }

  /// `45 of 120 jobs ━━━━━━━───────────── 37 %, about 20 s left`
  private var headline: StyledLine {
    guard let jobs = state.jobs, let fraction = state.fraction else {
      var line = StyledLine(QuantityText.count(state.jobsEnded, "job"), .bold)
      line.append(" done, \(QuantityText.duration(seconds: seconds))")
      return line
    }
    var line = StyledLine("\(state.jobsEnded) of \(QuantityText.count(jobs, "job"))", .bold)
    let left =
      state.secondsLeft(at: seconds).map { ", about \(QuantityText.duration(seconds: $0)) left" } ?? ""
    let end = " \(Int(fraction * 100)) %\(left)"
    let room = min(30, columns - line.width - TerminalText.width(end) - 1)
    if room >= 5 {
      let done = Int(Double(room) * fraction)
      line.append(" ")
      line.append(String(repeating: "━", count: done), .green)
      line.append(String(repeating: "─", count: room - done), .faint)
    }
    line.append(end)
    return line
  }

  /// `310 written, 40 unchanged, 12 cached, 4 failed`
  private var outcomes: StyledLine {
    var line = StyledLine("\(state.written) written, \(state.unchanged) unchanged, \(state.cached) cached, ")
    line.append("\(state.failed) failed", state.failed > 0 ? .red : .plain)
    return line
  }

  /// `↓ 8.1 MB, 2.3 MB/s, 12 downloads: cdn.example.com 6, a.example.com 4, 2 others`
  private var transfers: StyledLine {
    var line = StyledLine("↓ ", .cyan)
    line.append(QuantityText.bytes(state.receivedBytes))
    line.append(", \(QuantityText.bytes(Int(state.bytesPerSecond(at: seconds))))/s")
    guard !state.downloads.isEmpty else { return line }
    line.append(", \(QuantityText.count(state.downloads.count, "download")): \(hosts)")
    return line
  }

  private var hosts: String {
    var counts: [(host: String, count: Int)] = []
    for download in state.downloads {
      if let position = counts.firstIndex(where: { $0.host == download.host }) {
        counts[position].count += 1
      } else {
        counts.append((download.host, 1))
      }
    }
    let shown = counts.sorted { ($1.count, $0.host) < ($0.count, $1.host) }.prefix(3)
    let others = counts.count - shown.count
    return
      (shown.map { "\($0.host) \($0.count)" } + (others > 0 ? [QuantityText.count(others, "other")] : []))
      .joined(separator: ", ")
  }

  /// `  https://cdn.example.com/…/hero.jpg  1.2 MB of 4.0 MB`
  private func download(_ download: ProgressState.Download) -> StyledLine {
    var amount = QuantityText.bytes(download.received)
    if let expected = download.expected, columns >= 40 { amount += " of \(QuantityText.bytes(expected))" }
    let source = TerminalText.visible(download.source)
    let room = max(8, columns - TerminalText.width(amount) - 4)
    let width = min(room, 60)
    var line = StyledLine("  ")
    line.append(
      TerminalText.padded(TerminalText.truncated(source, to: width, inTheMiddle: true), to: width))
    line.append("  \(amount)", .faint)
    return line
  }

  /// `▸ 2 https://cdn.example.com/…/hero.jpg`
  private func rendering(_ rendering: ProgressState.Rendering) -> StyledLine {
    var line = StyledLine("▸ \(rendering.slot + 1) ", .green)
    let room = max(8, columns - line.width)
    line.append(TerminalText.truncated(TerminalText.visible(rendering.source), to: room, inTheMiddle: true))
    return line
  }
}
