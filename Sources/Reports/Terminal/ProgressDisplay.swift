package import ImageBatch
import Synchronization
import TerminalText

/// A live display at the bottom of a terminal, redrawn at most ten times per second and erased at the end.
///
/// All other output to the same terminal must go through ``writeAbove(_:)`` or ``above(_:)``. The terminal's size is
/// read at each redraw, because it may change.
package final class ProgressDisplay: BatchReporter {
  private struct State {
    var progress = ProgressState()
    var drawn: [StyledLine] = []
    var lastDrawing = ProgressDisplay.patience - ProgressDisplay.interval
    var isOver = false
  }

  private static let interval = 0.1
  /// The delay before the first drawing in seconds, so that the display doesn't flash up for a short run.
  private static let patience = 0.25

  private let state = Mutex(State())
  private let usesColor: Bool
  private let usesUnicode: Bool
  private let size: @Sendable () -> TerminalSize
  private let isInForeground: @Sendable () -> Bool
  private let start: ContinuousClock.Instant
  private let now: @Sendable () -> ContinuousClock.Instant
  private let write: TextOutput

  /// Creates a display.
  /// - Parameters:
  ///   - usesColor: Whether to use color. The caller must respect `NO_COLOR`.
  ///   - usesUnicode: Whether to draw with other characters than ASCII. Default: true.
  ///   - size: Returns the terminal's current size.
  ///   - isInForeground: Whether this process may write to the terminal; if not, nothing is drawn.
  ///   - write: Writes to the terminal.
  package init(
    usesColor: Bool, usesUnicode: Bool = true, size: @escaping @Sendable () -> TerminalSize,
    isInForeground: @escaping @Sendable () -> Bool = { true },
    now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }, write: @escaping TextOutput
  ) {
    self.usesColor = usesColor
    self.usesUnicode = usesUnicode
    self.size = size
    self.isInForeground = isInForeground
    self.now = now
    self.write = write
    start = now()
  }

  /// Whether it handles the start and the end of renderings: always.
  package var observesRenderings: Bool { true }

  /// Records an event, and redraws if due. The end of the batch erases the display, so that the summary can follow.
  package func receive(_ event: BatchEvent) {
    let seconds = seconds
    state.withLock { state in
      state.progress.apply(event, at: seconds)
      if state.progress.isFinished { end(&state) } else { drawIfDue(&state, seconds) }
    }
  }

  /// Redraws if due.
  package func tick() {
    let seconds = seconds
    state.withLock { drawIfDue(&$0, seconds) }
  }

  /// Writes complete lines above the display. Once the display has ended, writes them as they are.
  package func writeAbove(_ text: String) -> Bool {
    let seconds = seconds
    return state.withLock { state in
      let erasure = erasure(&state)
      return write(erasure + text + (erasure.isEmpty ? "" : frame(&state, seconds)))
    }
  }

  /// Erases the display while `body` writes complete lines to the same terminal through another stream.
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

  /// Erases the display until the next redraw. Call it before the process is suspended.
  package func hide() {
    let seconds = seconds
    state.withLock { state in
      state.lastDrawing = seconds
      let erasure = erasure(&state)
      if !erasure.isEmpty { _ = write(erasure) }
    }
  }

  /// Erases the display permanently. Call it before the process exits for any reason.
  package func clear() { state.withLock { end(&$0) } }

  /// Erases the display permanently.
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
    // Overwrite the old lines instead of clearing them first, which would flicker.
    let top = top(state)
    _ = write(top + frame(&state, seconds))
  }

  /// The lines, each cleared before it is written, and then the rest of the screen cleared. tmux counts cells cleared
  /// after a text as part of its line when the width changes; clearing the line before writing it avoids that.
  private func frame(_ state: inout State, _ seconds: Double) -> String {
    state.drawn = ProgressLines(state: state.progress, size: size(), seconds: seconds).lines
    return state.drawn.map { "\u{1B}[K\($0.text(color: usesColor, unicode: usesUnicode))\n" }.joined()
      + "\u{1B}[J"
  }

  /// Erases row by row from the bottom, because tmux keeps a screen that is cleared as a whole in its history.
  private func erasure(_ state: inout State) -> String {
    guard !state.drawn.isEmpty else { return "" }
    defer { state.drawn = [] }
    return "\r\u{1B}[K" + String(repeating: "\u{1B}[A\u{1B}[K", count: rows(state))
  }

  /// Moves the cursor to the start of the display.
  private func top(_ state: State) -> String {
    state.drawn.isEmpty ? "" : "\r\u{1B}[\(rows(state))A"
  }

  /// The number of rows that the display takes now. A terminal that has become narrower has wrapped its lines.
  private func rows(_ state: State) -> Int {
    let columns = size().columns
    return state.drawn.reduce(0) { $0 + max(1, ($1.width + columns - 1) / columns) }
  }
}
