import Curl

extension Transport {
  static func isRedirect(_ status: Int) -> Bool { [301, 302, 303, 307, 308].contains(status) }

  /// Where an answer sends the state; nil where it is no redirect that is followed.
  func redirect(_ attempt: TransferOutcome, _ result: TransferResult) -> Step? {
    guard attempt.state.key.followsRedirects, Self.isRedirect(result.head.status),
      let location = result.head.fields.first("Location")
    else { return nil }
    return follow(location, from: attempt.state)
  }

  /// The state's next hop, unless it is one hop too many or leads where nobody follows.
  func follow(_ location: String, from state: RequestState) -> Step {
    let name = state.key.displayText
    guard state.redirectCount < configuration.redirects else {
      let message = "more than \(configuration.redirects) redirects; see --max-redirects"
      return .done(.failure(DownloadError(.tooManyRedirects, message, source: name)))
    }
    guard let target = state.url.resolving(location) else {
      let message = "it redirects to something that is no http or https URL"
      return .done(.failure(DownloadError(.badRedirect, message, source: name)))
    }
    guard state.url.scheme == "http" || target.scheme == "https" else {
      let message =
        "it redirects from https to http, which isn't followed; name \(target.displayText) itself if it is to be trusted"
      return .done(.failure(DownloadError(.badRedirect, message, source: name)))
    }
    var next = RequestState(state.key, originalURL: state.originalURL)
    next.url = target
    next.redirectCount = state.redirectCount + 1
    return .redirect(next)
  }
}

extension WebAddress {
  /// The URL that a reference names, seen from here (RFC 3986 §5.2); nil where it is none.
  func resolving(_ reference: String) -> WebAddress? {
    let reference = FieldList.trimmed(reference)
    if let colon = reference.firstIndex(of: ":"),
      reference[..<colon].allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber || "+-.".contains($0)) }),
      colon != reference.startIndex
    {
      return WebAddress(reference)
    }
    if reference.hasPrefix("//") { return WebAddress("\(scheme):\(reference)") }
    let withoutFragment = reference.prefix { $0 != "#" }
    let target: String
    if withoutFragment.isEmpty {
      target = String(self.target)
    } else if withoutFragment.hasPrefix("/") {
      target = Self.withoutDots(withoutFragment)
    } else if withoutFragment.hasPrefix("?") {
      target = String(path + withoutFragment)
    } else {
      let directory = path.lastIndex(of: "/").map { path[...$0] } ?? "/"
      target = Self.withoutDots(directory + withoutFragment)
    }
    return WebAddress(origin + target)
  }

  /// Takes `.` and `..` out of a path (RFC 3986 §5.2.4); the query stays.
  private static func withoutDots(_ target: some StringProtocol) -> String {
    let path = target.prefix { $0 != "?" }
    var kept: [Substring] = []
    let segments = String(path).split(separator: "/", omittingEmptySubsequences: false).dropFirst()
    for (index, segment) in segments.enumerated() {
      let isLast = index == segments.count - 1
      switch segment {
      case ".": if isLast { kept.append("") }
      case "..":
        _ = kept.popLast()
        if isLast { kept.append("") }
      default: kept.append(segment)
      }
    }
    return "/" + kept.joined(separator: "/") + target.dropFirst(path.count)
  }
}
