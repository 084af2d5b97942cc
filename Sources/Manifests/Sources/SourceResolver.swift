import ImageDownloads
import SystemIO

/// Turns a source as it is written into what it stands for.
struct SourceResolver: Sendable {
  /// What a source without a scheme is resolved against.
  var base: URLReference?
  var directory: ManifestDirectory

  struct Failure: Error {
    var message: String
  }

  /// The source that `text` means in a manifest with this base and directory.
  func resolve(_ text: String) throws(Failure) -> ImageSource {
    if text.isEmpty { throw Failure(message: "a source can't be empty") }
    if text == "-" { return .standardInput }
    switch URLReference.scheme(of: text) {
    case "http", "https":
      if let control = text.unicodeScalars.first(where: { $0.properties.generalCategory == .control }) {
        let number = String(control.value, radix: 16, uppercase: true)
        throw Failure(message: "the URL holds the control character U+\(number): encode it as %\(number)")
      }
      guard let host = URLReference(parsing: text)?.host, !host.isEmpty else {
        throw Failure(message: "the URL names no host: write 'https://HOST/PATH'")
      }
      return .url(text)
    case "data":
      guard text.contains(",") else { throw Failure(message: "a data: URL has a comma before its data") }
      return .data(text)
    case "file":
      guard let path = FileURL.path(text) else {
        throw Failure(
          message: "a file: URL names a path of this machine: write 'file:///PATH', with '%25' for '%'")
      }
      return .file(try directory.inside(path))
    case let scheme?:
      throw Failure(
        message: "sources with the scheme '\(scheme)' can't be read: there are http, https, file and data")
    case nil: break
    }
    let isPath = ["/", "./", "../"].contains { text.utf8.starts(with: $0.utf8) }
    if let base, !isPath {
      // One letter before a colon is no scheme here: "./" keeps it from being read as one (RFC 3986, section 4.2).
      let reference = URLReference(parsing: text)?.scheme == nil ? text : "./" + text
      return .url(base.resolving(reference)?.text ?? text)
    }
    if text.utf8.contains(0) { throw Failure(message: "a path can't hold a NUL character") }
    return .file(try directory.inside(text))
  }
}
