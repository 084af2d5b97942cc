import Glibc
import SystemIO

/// The store's places in one directory.
struct StoreLayout: Sendable {
  let root: String
  var index: String { root + "/index.sqlite" }
  var indexLock: String { root + "/index.lock" }
  /// Tells processes apart that want the same request.
  var requestLocks: String { root + "/requests.lock" }
  var objects: String { root + "/objects" }
  var temporaries: String { root + "/tmp" }
  /// Downloads that broke off and may be resumed.
  var partials: String { root + "/partial" }
  var tag: String { root + "/CACHEDIR.TAG" }

  /// `objects/ab/cd…`: the digest's text after its first two digits.
  func object(_ digest: ContentDigest) -> String {
    "\(objects)/\(digest.hex.prefix(2))/\(digest.hex.dropFirst(2))"
  }

  /// Makes what is missing of the directories, and the tag that tells backup programs to pass by
  /// (https://bford.info/cachedir/).
  func make() throws(CacheError) {
    try Self.makeDirectory(root, mode: 0o700)
    for directory in [objects, temporaries, partials] { try Self.makeDirectory(directory, mode: 0o700) }
    guard let file = try FileDescriptor.open(tag, O_WRONLY | O_CREAT, mode: 0o644) else { return }
    guard file.status.st_size == 0 else { return }
    let text = """
      Signature: 8a477f597d28d172789f06886806bc55
      # This directory is a cache of imagemill, which makes again whatever is deleted from it.

      """
    try file.write(Array(text.utf8), path: tag)
  }

  /// Makes a directory and its parents.
  static func makeDirectory(_ path: String, mode: mode_t) throws(CacheError) {
    do throws(SystemError) {
      try Directory.create(path, mode: mode, parentMode: 0o755)
    } catch {
      throw .file("make the directory", path, errno: error.code)
    }
  }

  /// The names in a directory; none where it doesn't exist.
  static func names(in directory: String) throws(CacheError) -> [String] {
    do throws(SystemError) {
      return try Directory.existingEntries(of: directory).map(\.name)
    } catch {
      throw .file("list", directory, errno: error.code)
    }
  }

  /// Removes a directory with all that is in it; what can't be removed stays.
  static func removeTree(_ path: String) throws(CacheError) {
    do throws(SystemError) {
      try Directory.removeTree(path)
    } catch {
      throw .file("remove", path, errno: error.code)
    }
  }
}
