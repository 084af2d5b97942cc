import Glibc

extension RequestSigner {
  /// The time in the form of `X-Amz-Date`: `20150830T123600Z`.
  /// - Parameter seconds: The time in seconds since 1970.
  package static func date(_ seconds: Double) -> String {
    var time = time_t(seconds)
    var parts = tm()
    gmtime_r(&time, &parts)
    func digits(_ number: Int32, _ count: Int = 2) -> String {
      let text = String(number)
      return String(repeating: "0", count: max(0, count - text.utf8.count)) + text
    }
    return digits(parts.tm_year + 1900, 4) + digits(parts.tm_mon + 1) + digits(parts.tm_mday) + "T"
      + digits(parts.tm_hour) + digits(parts.tm_min) + digits(parts.tm_sec) + "Z"
  }
}
