import ImageBatch
import Manifests

extension FrozenSources {
  /// Reads the lock file at `path`.
  /// - Parameter manifests: The command line's manifests.
  init(reading path: String, manifests: [String]) throws {
    do throws(LockFile.Failure) {
      self.init(try LockFile(path: path), path: path)
    } catch {
      throw CommandError(error, of: path, manifests: manifests)
    }
  }
}

extension JobSelection {
  /// Refuses jobs whose sources are missing from the lock file.
  /// - Throws: `CommandError` with status 3 for a source that isn't locked, and with status 2 for input that is streamed.
  func check(against frozen: FrozenSources, in path: String) throws {
    let unknown = missing(from: frozen)
    guard unknown.isEmpty else {
      let list = unknown.map { source, place in "  + \(source)\(place.map { " (\($0.text))" } ?? "")" }
        .joined(separator: "\n")
      for (source, place) in unknown {
        Annotations.add("\(source): the source isn't in the lock file", at: place)
      }
      throw CommandError(
        .outOfDate, "sources are missing from \(path); run without --frozen to lock them:\n\(list)")
    }
    guard streams.isEmpty else {
      throw CommandError(
        .usage, "--frozen needs a YAML, JSON or TOML manifest; lists, CSV and NDJSON are streamed")
    }
  }
}

extension CommandError {
  /// A lock file that can't be used.
  /// - Parameter manifests: The command line's manifests.
  init(_ failure: LockFile.Failure, of path: String, manifests: [String]) {
    switch failure {
    case .unreadable(let reason):
      self.init(
        .usage,
        "can't read the lock file \(path): \(reason); write it with '\(Self.writing(path, manifests))'")
    case .version(let version):
      self.init(.usage, "the lock file \(path) has version \(version); this imagemill reads versions up to 2")
    case .unwritable(let reason): self.init(.failed, "can't write the lock file \(path): \(reason)")
    }
  }

  /// The command line that writes a lock file.
  static func writing(_ path: String, _ manifests: [String]) -> String {
    (["imagemill", "run", "--lock"] + ([path] + manifests).map(ShellWord.quoted)).joined(separator: " ")
  }
}
