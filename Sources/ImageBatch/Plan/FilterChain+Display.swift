import ImageDownloads
import ImageFilters

extension FilterChain {
  /// The identifier for display, paths and records, without user names, passwords and tokens in its URLs.
  var displayIdentifier: String { withoutSecrets.identifier }

  /// The chain with the display texts of the URLs that it refers to.
  var withoutSecrets: FilterChain { replacingReferences(Self.displayText(ofReference:)) }

  /// The display text of a URL. References that aren't URLs are returned without what looks like a password.
  static func displayText(ofReference reference: String) -> String {
    // An invalid reference fails its output later, with an error of its own.
    guard let source = try? ImageSource(parsing: reference), case .url = source else {
      return SecretText.hidden(in: reference)
    }
    return source.displayText
  }
}
