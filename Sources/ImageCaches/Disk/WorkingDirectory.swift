import Glibc

/// The directory that relative paths start from.
enum WorkingDirectory {
  static var path: String {
    guard let text = getcwd(nil, 0) else { return "" }
    defer { free(text) }
    return String(cString: text)
  }
}
