/// Where an image's bytes come from.
public enum ImageSource: Hashable, Sendable {
  /// An absolute `http:` or `https:` URL, as written.
  case url(String)
  /// A path of the file system, absolute or relative to the process's directory.
  case file(String)
  /// A `data:` URL (RFC 2397), as written.
  case data(String)
  /// Standard input, which can be read once.
  case standardInput
}
