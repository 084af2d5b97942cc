import ImageDownloads
import ImageFilters

extension FilterChain {
  /// The identifier for display, paths and records: its URLs are without user name, password and tokens.
  var displayIdentifier: String { withoutSecrets.identifier }

  /// The chain with the display texts of the URLs that it refers to.
  var withoutSecrets: FilterChain { replacingReferences(Self.displayText(ofReference:)) }

  /// The display text of a URL; any other reference as it is.
  static func displayText(ofReference reference: String) -> String {
    // What isn't a source fails its output, and that is told with the reference's own error.
    guard let source = try? ImageSource(parsing: reference), case .url = source else { return reference }
    return source.displayText
  }
}
