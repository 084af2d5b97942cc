import ImageDownloads
import SystemIO

/// Resolves sources in a manifest.
struct SourceResolver: Sendable {
  /// The URL that sources without a scheme are resolved against.
  var base: URLReference?
  var directory: ManifestDirectory

  struct Failure: Error {
    var message: String
  }

  /// Resolves a source against the base and the directory.
  /// - Throws: `Failure` if `text` isn't a source, or a path lies outside the directory.
  func resolve(_ text: String) throws(Failure) -> ImageSource {
    if text.isEmpty { throw Failure(message: "a source can't be empty") }
    if text == "-" { return .standardInput }
    let known: ImageSource?
    do throws(ImageSource.InvalidForm) { known = try ImageSource.ofScheme(text) } catch {
      throw Failure(message: error.message)
    }
    if let known {
      guard case .file(let path) = known else { return known }
      return .file(try directory.inside(path))
    }
    if let scheme = URLReference.scheme(of: text) {
      let isPath = !text.dropFirst(scheme.count).hasPrefix("://")
      let file = isPath ? "; for a file write './\(text)'" : ""
      // A host and its port, as of a server under development.
      if text.dropFirst(scheme.count).contains(#/^:[0-9]+(/|$)/#) {
        throw Failure(message: "a URL needs its scheme: write 'http://\(text)'\(file)")
      }
      throw Failure(message: "unsupported scheme '\(scheme)': use http, https, s3, file or data\(file)")
    }
    let isPath = ["/", "./", "../"].contains { text.utf8.starts(with: $0.utf8) }
    if let base, !isPath {
      // `scheme(of:)` doesn't take a single letter for a scheme; "./" makes `resolving` agree (RFC 3986, section 4.2).
      let reference = URLReference(parsing: text)?.scheme == nil ? text : "./" + text
      return .url(base.resolving(reference)?.text ?? text)
    }
    if text.utf8.contains(0) { throw Failure(message: "a path can't contain a NUL character") }
    return .file(try directory.inside(text))
  }
}
