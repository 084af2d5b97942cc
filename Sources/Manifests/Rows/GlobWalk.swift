import Glibc
import SystemIO

/// Iterates over the files that match a pattern, in the order of their paths' components. Only the listings of the
/// current directory and its parents are in memory.
///
/// `**` doesn't follow symbolic links to directories, so cycles of links end; other components do.
struct GlobWalk {
  enum Found: Equatable {
    case file(String)
    /// A path that can't be read, and the reason.
    case failure(path: String, message: String)
  }

  private struct Entry {
    var name: [UInt8]
    var isDirectory: Bool
    var isFile: Bool
    var isLink: Bool
  }

  private struct Directory {
    /// The displayed path, with a slash at its end; empty for the root of a pattern that begins with a wildcard.
    var path: String
    var entries: ArraySlice<Entry>
    var states: Set<GlobPattern.State>
  }

  private let pattern: GlobPattern
  /// The directory that the pattern is relative to; empty for the working directory.
  private let base: String
  private var stack: [Directory] = []
  private var pending: [Found] = []

  init(_ pattern: GlobPattern, in base: String) {
    self.pattern = pattern
    self.base = base.isEmpty || base == "." ? "" : base + "/"
    let path = pattern.root.isEmpty || pattern.root.hasSuffix("/") ? pattern.root : pattern.root + "/"
    open(path, pattern.start, isRoot: true)
  }

  mutating func next() -> Found? {
    while true {
      if !pending.isEmpty { return pending.removeFirst() }
      guard let last = stack.indices.last else { return nil }
      guard let entry = stack[last].entries.popFirst() else {
        stack.removeLast()
        continue
      }
      let directory = stack[last]
      let (named, passed) = pattern.step(directory.states, entry.name)
      let isWanted = (named.union(passed)).contains(where: pattern.isEnd)
      guard entry.isDirectory || isWanted else { continue }
      guard let name = String(validating: entry.name, as: UTF8.self) else {
        let shown = directory.path + String(decoding: entry.name, as: UTF8.self)
        return .failure(path: shown, message: "has a name that isn't UTF-8: rename it")
      }
      if entry.isDirectory {
        // `**` doesn't descend into links.
        let states = (entry.isLink ? named : named.union(passed)).filter { !pattern.isEnd($0) }
        if !states.isEmpty { open(directory.path + name + "/", states, isRoot: false) }
      } else if isWanted, entry.isFile {
        return .file(directory.path + name)
      }
    }
  }

  private mutating func open(_ path: String, _ states: Set<GlobPattern.State>, isRoot: Bool) {
    let place = Paths.isAbsolute(path) ? path : base + path
    var entries: [Entry]
    do throws(SystemError) {
      entries = try SystemIO.Directory.entries(of: place.isEmpty ? "." : place).map {
        Self.entry($0.bytes, type: $0.type, in: place)
      }
    } catch {
      // A missing root has no files; the caller reports that nothing matches.
      guard !(isRoot && error.isMissing) else { return }
      return pending.append(.failure(path: path, message: "can't be read: \(error.text)"))
    }
    entries.sort { $0.name.lexicographicallyPrecedes($1.name) }
    stack.append(Directory(path: path, entries: entries[...], states: states))
  }

  private static func entry(_ name: [UInt8], type: Int32, in directory: String) -> Entry {
    if type == Int32(DT_REG) || type == Int32(DT_DIR) {
      return Entry(
        name: name, isDirectory: type == Int32(DT_DIR), isFile: type == Int32(DT_REG), isLink: false)
    }
    // A link, or a file system whose listings have no types.
    let path = directory.utf8.map { CChar(bitPattern: $0) } + name.map { CChar(bitPattern: $0) } + [0]
    var (own, target) = (stat(), stat())
    let isLink = lstat(path, &own) == 0 && own.st_mode & S_IFMT == S_IFLNK
    guard stat(path, &target) == 0 else {
      return Entry(name: name, isDirectory: false, isFile: false, isLink: isLink)
    }
    let kind = target.st_mode & S_IFMT
    return Entry(name: name, isDirectory: kind == S_IFDIR, isFile: kind == S_IFREG, isLink: isLink)
  }
}
