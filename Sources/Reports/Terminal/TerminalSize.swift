import Glibc

/// A terminal's room for text.
package struct TerminalSize: Sendable, Hashable {
  /// In columns, at least 1.
  package var columns: Int
  /// In lines, at least 1.
  package var rows: Int

  /// A size.
  package init(columns: Int, rows: Int) {
    self.columns = max(1, columns)
    self.rows = max(1, rows)
  }

  /// The size now of the terminal that is open as `descriptor`; 80 by 24 where it doesn't say.
  package static func current(of descriptor: Int32) -> TerminalSize {
    var size = winsize()
    guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else {
      return TerminalSize(columns: 80, rows: 24)
    }
    return TerminalSize(columns: Int(size.ws_col), rows: size.ws_row > 0 ? Int(size.ws_row) : 24)
  }

  /// Whether this process may use the terminal that is open as `descriptor`: a job in the background may not. True
  /// where that isn't this process's own terminal, and nobody can say.
  package static func isInForeground(_ descriptor: Int32) -> Bool {
    let group = tcgetpgrp(descriptor)
    return group < 0 || group == getpgrp()
  }
}
