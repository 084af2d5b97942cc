import ImageDownloads

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
    case "file": return .file(try directory.inside(try path(ofFileURL: text)))
    case let scheme?:
      throw Failure(
        message: "sources with the scheme '\(scheme)' can't be read: there are http, https, file and data")
    case nil: break
    }
    let isPath = text.hasPrefix("/") || text.hasPrefix("./") || text.hasPrefix("../")
    if let base, !isPath { return .url(base.resolving(text)) }
    if text.utf8.contains(0) { throw Failure(message: "a path can't hold a NUL character") }
    return .file(try directory.inside(text))
  }

  private func path(ofFileURL text: String) throws(Failure) -> String {
    guard let url = URLReference(parsing: text), let path = PercentEncoding.decoded(url.path) else {
      throw Failure(message: "this file: URL can't be read: write 'file:///PATH' or the path itself")
    }
    guard [nil, "", "localhost"].contains(url.host), path.hasPrefix("/") else {
      throw Failure(message: "a file: URL names a path of this machine: write 'file:///PATH'")
    }
    return path
  }
}
