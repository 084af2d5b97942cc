import Glibc

/// The directory that a manifest's local paths are relative to, and that they may not leave.
struct ManifestDirectory: Sendable {
  /// As given; empty is the process's own directory.
  let path: String
  let allowsOutside: Bool
  /// Without symbolic links; nil where the directory doesn't exist.
  private let realPath: String?

  init(path: String, allowsOutside: Bool) {
    self.path = path
    self.allowsOutside = allowsOutside
    realPath = Self.resolved(path.isEmpty ? "." : path)
  }

  /// `text` joined to the directory; throws where it lies outside, also by way of `..` or a symbolic link.
  func inside(_ text: String) throws(SourceResolver.Failure) -> String {
    let joined = text.hasPrefix("/") || path.isEmpty || path == "." ? text : path + "/" + text
    guard joined.utf8.count < PATH_MAX else {
      throw SourceResolver.Failure(
        message: "a path of \(joined.utf8.count) bytes: Linux opens none of more than \(PATH_MAX - 1)")
    }
    if allowsOutside { return joined }
    guard let realPath, let target = Self.resolved(joined),
      target == realPath || target.hasPrefix(realPath == "/" ? "/" : realPath + "/")
    else {
      throw SourceResolver.Failure(
        message: "'\(text)' lies outside the manifest's directory: move it inside, or give --allow-outside")
    }
    return joined
  }

  /// The path without `..` and symbolic links. Of a path that doesn't exist, the part that does is resolved and the
  /// rest is taken by its letters.
  private static func resolved(_ path: String) -> String? {
    var existing = path
    var missing: [Substring] = []
    while true {
      if let real = realpath(existing.isEmpty ? "." : existing, nil) {
        defer { free(real) }
        return joined(String(cString: real), missing.reversed())
      }
      guard errno == ENOENT || errno == ENOTDIR else { return nil }
      while existing.count > 1, existing.hasSuffix("/") { existing.removeLast() }
      if let slash = existing.lastIndex(of: "/") {
        missing.append(existing[existing.index(after: slash)...])
        existing = slash == existing.startIndex ? "/" : String(existing[..<slash])
      } else {
        guard !existing.isEmpty else { return nil }
        missing.append(existing[...])
        existing = ""
      }
    }
  }

  private static func joined(_ real: String, _ rest: [Substring]) -> String {
    var segments = real.split(separator: "/")
    for segment in rest where segment != "." && !segment.isEmpty {
      if segment == ".." { _ = segments.popLast() } else { segments.append(segment) }
    }
    return "/" + segments.joined(separator: "/")
  }
}
