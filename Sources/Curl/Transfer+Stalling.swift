import SystemIO

/// Finding out that a server has fallen silent. libcurl's own limit is on an average over several seconds, in which the
/// bytes of the head don't count.
extension Transfer {
  /// Notes that a request began, or that bytes of it or of its response passed.
  func noteActivity() { lastActivity = SystemTime.monotonic }

  /// When the transfer ends if no more bytes pass, in seconds of the monotonic clock; nil before the request, which has
  /// the time for connecting, and while the transfer is held back for its rate.
  var stallDeadline: Double? {
    isHeldBack ? nil : lastActivity.map { $0 + options.stallTimeout }
  }

  /// What happened, for the error's message.
  var stallText: String {
    let seconds = options.stallTimeout
    return "no data arrived for \(seconds == seconds.rounded() ? "\(Int(seconds))" : "\(seconds)") s"
  }
}
