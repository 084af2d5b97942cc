package import ImageBatch
import Synchronization
import TerminalText

/// A live display at the foot of a terminal, redrawn at most ten times a second, that leaves nothing behind.
///
/// Whoever else writes to the same terminal does it through ``writeAbove(_:)``. The terminal's size is asked for at
/// each drawing, so that it may change.
package final class ProgressDisplay: BatchReporter {
  private struct State {
    var progress = ProgressState()
    var drawn: [StyledLine] = []
    var lastDrawing = ProgressDisplay.patience - ProgressDisplay.interval
    var isOver = false
  }

  private static let interval = 0.1
  /// Seconds before the first drawing: what is over by then needs no display that flashes up.
  private static let patience = 0.25

  private let state = Mutex(State())
  private let usesColour: Bool
  private let size: @Sendable () -> TerminalSize
  private let isInForeground: @Sendable () -> Bool
  private let start: ContinuousClock.Instant
  private let now: @Sendable () -> ContinuousClock.Instant
  private let write: TextOutput

  /// A display of a terminal of this `size`, which takes what `write` is given. No colour where `NO_COLOR` is set:
  /// the caller says so. Nothing is drawn while the terminal is another job's.
  package init(
    usesColour: Bool, size: @escaping @Sendable () -> TerminalSize,
    isInForeground: @escaping @Sendable () -> Bool = { true },
    now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }, write: @escaping TextOutput
  ) {
    self.usesColour = usesColour
    self.size = size
    self.isInForeground = isInForeground
    self.now = now
    self.write = write
    start = now()
  }

  /// Takes note, and draws if it is time. The end of the batch clears the display, so that the summary can follow.
  package func receive(_ event: BatchEvent) {
    let seconds = seconds
    state.withLock { state in
      state.progress.apply(event, at: seconds)
      if state.progress.isFinished { end(&state) } else { drawIfDue(&state, seconds) }
    }
  }

  /// Draws if it is time.
  package func tick() {
    let seconds = seconds
    state.withLock { drawIfDue(&$0, seconds) }
  }

  /// Writes `text`, whole lines, above the display; plainly once the display has ended.
  package func writeAbove(_ text: String) -> Bool {
    let seconds = seconds
    return state.withLock { state in
      let erasure = erasure(&state)
      return write(erasure + text + (erasure.isEmpty ? "" : frame(&state, seconds)))
    }
  }

  /// The same for what another stream takes to the same terminal: `body` writes whole lines there.
  package func above(_ body: () -> Bool) -> Bool {
    let seconds = seconds
    return state.withLock { state in
      let erasure = erasure(&state)
      if erasure.isEmpty { return body() }
      _ = write(erasure)
      defer { _ = write(frame(&state, seconds)) }
      return body()
    }
  }

  /// Takes the display off the terminal until it is time to draw again: before the process is stopped.
  package func hide() {
    let seconds = seconds
    state.withLock { state in
      state.lastDrawing = seconds
      let erasure = erasure(&state)
      if !erasure.isEmpty { _ = write(erasure) }
    }
  }

  /// Takes the display off the terminal for good: before the process ends, however it ends.
  package func clear() { state.withLock { end(&$0) } }

  /// Clears.
  package func finish() throws(ReportError) { clear() }

  private var seconds: Double { (now() - start) / .seconds(1) }

  private func end(_ state: inout State) {
    state.isOver = true
    let erasure = erasure(&state)
    if !erasure.isEmpty { _ = write(erasure) }
  }

  private func drawIfDue(_ state: inout State, _ seconds: Double) {
    guard !state.isOver, seconds - state.lastDrawing >= Self.interval, isInForeground() else { return }
    state.lastDrawing = seconds
    // The old lines are written over and not cleared before, so that nothing flickers.
    let top = top(state)
    _ = write(top + frame(&state, seconds))
  }

  /// The lines, each cleared before it is written, and what was below them cleared. tmux counts what was cleared behind
  /// a text as part of its line when the width changes; a line that was cleared from its beginning has nothing there.
  private func frame(_ state: inout State, _ seconds: Double) -> String {
    state.drawn = ProgressLines(state: state.progress, size: size(), seconds: seconds).lines
    return state.drawn.map { "\u{1B}[K\($0.text(colour: usesColour))\n" }.joined() + "\u{1B}[J"
  }

  /// Row by row from the bottom: tmux keeps a screen that is cleared as a whole in its history.
  private func erasure(_ state: inout State) -> String {
    guard !state.drawn.isEmpty else { return "" }
    defer { state.drawn = [] }
    return "\r\u{1B}[K" + String(repeating: "\u{1B}[A\u{1B}[K", count: rows(state))
  }

  /// Moves the cursor to where the display begins.
  private func top(_ state: State) -> String {
    state.drawn.isEmpty ? "" : "\r\u{1B}[\(rows(state))A"
  }

  /// Those that the display takes now: a terminal that has become narrower has broken its lines.
  private func rows(_ state: State) -> Int {
    let columns = size().columns
    return state.drawn.reduce(0) { $0 + max(1, ($1.width + columns - 1) / columns) }
  }
}
