/// Paths as text: nothing is looked up.
enum LexicalPath {
  /// `path`, seen from `directory` unless absolute, without `.` and `..`: its components from the root.
  static func components(_ path: String, from directory: String) -> [Substring] {
    var result: [Substring] = []
    for component in (path.hasPrefix("/") ? path : directory + "/" + path).split(separator: "/") {
      switch component {
      case ".": break
      case "..": result = result.dropLast()
      default: result.append(component)
      }
    }
    return result
  }

  /// `path` (seen from `directory`) as it is named from inside `root`; nil where it lies outside.
  static func relative(_ path: String, from directory: String, to root: String) -> String? {
    let path = components(path, from: directory)
    let root = components(root, from: directory)
    guard path.starts(with: root), path.count > root.count else { return nil }
    return path.dropFirst(root.count).joined(separator: "/")
  }

  /// `path` (seen from `directory`) as it is named from `base`, with `..` where it lies outside.
  static func climbing(_ path: String, from directory: String, base: String) -> [Substring] {
    let path = components(path, from: directory)
    let base = components(base, from: directory)
    let shared = zip(path, base).prefix { $0 == $1 }.count
    return base.dropFirst(shared).map { _ in ".." } + path.dropFirst(shared)
  }
}
