import Glibc

/// The system's words for an `errno`, as in "No space left on device".
func describe(_ code: Int32) -> String {
  guard let text = strerror(code) else { return "error \(code)" }
  return String(cString: text)
}
