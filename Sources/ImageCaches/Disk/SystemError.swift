import Glibc

/// The system's words.
enum SystemError {
  /// For an `errno`, as in "No space left on device".
  static func text(_ code: Int32) -> String {
    guard let text = strerror(code) else { return "error \(code)" }
    return String(cString: text)
  }
}
