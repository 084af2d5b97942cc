import Curl
import ImageDownloads
import Manifests

extension Manifest {
  /// The downloader's settings for single origins, by origin.
  func originSettings() -> [String: OriginSettings] {
    var result: [String: OriginSettings] = [:]
    for origin in origins {
      var settings = OriginSettings()
      settings.headers = origin.headers.map { HeaderField($0.name, $0.value) }
      settings.activeDownloads = origin.maxActive
      settings.credential = origin.user.map { OriginSettings.Credential($0) }
      result[origin.origin] = settings
    }
    return result
  }
}

extension OriginSettings.Credential {
  /// `NAME:PASSWORD`, or a name alone.
  init(_ text: String) {
    let colon = text.firstIndex(of: ":")
    self.init(
      user: String(text[..<(colon ?? text.endIndex)]),
      password: colon.map { String(text[text.index(after: $0)...]) } ?? "")
  }
}
