package import ImageDownloads
import WebValues

extension ManifestOrigin {
  /// The downloader's settings for the origin.
  package var settings: OriginSettings {
    var settings = OriginSettings()
    settings.headers = headers.map { HeaderField($0.name, $0.value) }
    settings.activeDownloads = maxActive
    settings.credential = user.map { OriginSettings.Credential($0) }
    return settings
  }
}

extension OriginSettings.Credential {
  /// `NAME:PASSWORD`, or a name alone.
  package init(_ text: String) {
    let colon = text.firstIndex(of: ":")
    self.init(
      user: String(text[..<(colon ?? text.endIndex)]),
      password: colon.map { String(text[text.index(after: $0)...]) } ?? "")
  }
}
