import Glibc

/// The size of a terminal.
package struct TerminalSize: Sendable, Hashable {
  /// The width in columns, at least 1.
  package var columns: Int
  /// The height in rows, at least 1.
  package var rows: Int

  /// Creates a size, raising values below 1 to 1.
  package init(columns: Int, rows: Int) {
    self.columns = max(1, columns)
    self.rows = max(1, rows)
  }

  /// The current size of the terminal that is open as `descriptor`; 80 by 24 if unknown.
  package static func current(of descriptor: Int32) -> TerminalSize {
    var size = winsize()
    guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else {
      return TerminalSize(columns: 80, rows: 24)
    }
    return TerminalSize(columns: Int(size.ws_col), rows: size.ws_row > 0 ? Int(size.ws_row) : 24)
  }

  /// Whether this process is in the foreground of the terminal that is open as `descriptor`, and so may write to it.
  /// True if that isn't the process's controlling terminal, where the foreground can't be determined.
  package static func isInForeground(_ descriptor: Int32) -> Bool {
    let group = tcgetpgrp(descriptor)
    return group < 0 || group == getpgrp()
  }
}
