import SystemIO

/// The files and directories that fontconfig reads: its configuration, the fonts and their cache (fonts-conf(5)).
///
/// fontconfig itself takes 10 ms to read its configuration, so that only the elements that name files are searched for. That
/// finds elements in comments too, which name nothing that exists, or a directory of fonts more.
struct FontDirectories {
  /// The environment variables that decide where fonts are.
  static let variables = [
    "HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_DATA_DIRS", "FONTCONFIG_FILE",
    "FONTCONFIG_PATH", "FONTCONFIG_SYSROOT",
  ]

  /// The paths, in no particular order. Some may not exist.
  private(set) var all: [String] = []
  private var seen: Set<String> = []
  private let environment: [String: String]
  private let home: String

  init(environment: [String: String]) {
    self.environment = environment
    home = String((environment["HOME"] ?? "").reversed().drop { $0 == "/" }.reversed())
    let data = directory("XDG_DATA_HOME", "/.local/share")
    let settings = directory("XDG_CONFIG_HOME", "/.config")
    let cache = directory("XDG_CACHE_HOME", "/.cache")
    add("/etc/fonts")
    add("/var/cache/fontconfig")
    if !home.isEmpty {
      for name in ["/.fonts", "/.fonts.conf", "/.fonts.conf.d", "/.fontconfig"] { add(home + name) }
    }
    if let data { add(data + "/fonts") }
    if let settings { add(settings + "/fontconfig") }
    if let cache { add(cache + "/fontconfig") }
    for path in (environment["XDG_DATA_DIRS"] ?? "").split(separator: ":") { add(path + "/fonts") }
    if let root = environment["FONTCONFIG_SYSROOT"] { add(root) }
    if let path = environment["FONTCONFIG_PATH"] {
      for part in path.split(separator: ":") { add(String(part)) }
    }
    read(environment["FONTCONFIG_FILE"] ?? "fonts.conf", from: bases.first ?? "")
  }

  /// Where a relative name of a configuration file is looked for.
  private var bases: [String] {
    (environment["FONTCONFIG_PATH"] ?? "").split(separator: ":").map(String.init) + ["/etc/fonts"]
  }

  private func directory(_ variable: String, _ ofHome: String) -> String? {
    if let named = environment[variable], named.hasPrefix("/") { return named }
    return home.isEmpty ? nil : home + ofHome
  }

  /// Adds a path, unless it holds far more than fonts.
  private mutating func add(_ path: String) {
    let path = path.count > 1 && path.hasSuffix("/") ? String(path.dropLast()) : path
    guard path.hasPrefix("/"), path != "/", path != home, !all.contains(path) else { return }
    all.append(path)
  }

  /// The largest configuration file that is read, in bytes, and how many are.
  private static let mostBytes = 1 << 20
  private static let mostFiles = 1000

  /// Reads a configuration file, or each `.conf` file of a directory. fontconfig passes over what can't be read, too.
  private mutating func read(_ name: String, from directory: String) {
    let candidates = name.hasPrefix("/") ? [name] : ([directory] + bases).map { "\($0)/\(name)" }
    guard let path = candidates.first(where: File.exists), seen.count < Self.mostFiles,
      seen.insert(path).inserted
    else { return }
    add(path)
    if Directory.exists(at: path) {
      let names = ((try? Directory.entries(of: path)) ?? []).map(\.name).filter { $0.hasSuffix(".conf") }
      for name in names { read("\(path)/\(name)", from: path) }
    } else if let bytes = try? File.contents(of: path, limit: Self.mostBytes) {
      for element in Self.elements(of: bytes) { take(element, in: DirectoryEntry(path).directory) }
    }
  }

  private struct Element {
    let name: Substring
    let attributes: Substring
    let text: String
  }

  /// The elements `dir`, `cachedir` and `include`.
  private static func elements(of bytes: [UInt8]) -> [Element] {
    String(decoding: bytes, as: UTF8.self).split(separator: "<").compactMap { part in
      let name = part.prefix { $0.isLetter }
      guard ["dir", "cachedir", "include"].contains(name), let end = part.firstIndex(of: ">") else {
        return nil
      }
      let text = part[part.index(after: end)...].split(whereSeparator: \.isWhitespace).joined(separator: " ")
      return Element(name: name, attributes: part[name.endIndex..<end], text: text)
    }
  }

  private mutating func take(_ element: Element, in directory: String) {
    guard !element.text.isEmpty else { return }
    var path = element.text
    if path.hasPrefix("~") { path = home + path.dropFirst() }
    let prefix =
      ["xdg", "relative"].first {
        element.attributes.contains("\"\($0)\"") || element.attributes.contains("'\($0)'")
      }
    if prefix == "relative", !path.hasPrefix("/") { path = "\(directory)/\(path)" }
    if prefix == "xdg" {
      let base =
        switch element.name {
        case "dir": self.directory("XDG_DATA_HOME", "/.local/share")
        case "cachedir": self.directory("XDG_CACHE_HOME", "/.cache")
        default: self.directory("XDG_CONFIG_HOME", "/.config")
        }
      guard let base else { return }
      path = "\(base)/\(path)"
    }
    if element.name == "include" { read(path, from: directory) } else { add(path) }
  }
}
