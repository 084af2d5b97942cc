import Glibc
import ImageCaches
import SystemIO

/// An output that can't be written, because a directory has its path, or its path leads through a file or out of the output
/// directory.
package struct OccupiedPlace: Sendable, Hashable {
  /// What is in the way.
  package enum Obstacle: Sendable, Hashable {
    /// A directory has the output's path.
    case directory
    /// A part of the path is the file at this location.
    case file(String)
    /// A link leads out of the output directory, to this directory.
    case link(String)
  }

  /// The output's path.
  package var path: String
  /// What is in the way.
  package var obstacle: Obstacle
  /// The output's location in its manifest.
  package var location: ManifestLocation?

  /// Finds such outputs of a job, as far as their paths are known before the run.
  /// - Parameters:
  ///   - job: The job.
  ///   - directory: The output directory of a job without its own.
  package static func find(in job: Job, outputDirectory directory: String = ".") -> [OccupiedPlace] {
    job.outputLocations(in: directory).compactMap { output in
      guard OutputDirectory.object(at: output.location) == nil,
        let obstacle = Entry(at: output.location).obstacle
      else { return nil }
      return OccupiedPlace(
        path: output.path, obstacle: obstacle, location: output.output.location ?? job.location)
    }
  }

  /// The mistake in words.
  package var message: String {
    switch obstacle {
    case .directory: Self.directory(path)
    case .file(let part): "'\(path)' can't be written: '\(part)' is a file, not a directory"
    case .link(let target):
      "'\(path)' is outside the output directory: a link leads to '\(target)'"
    }
  }

  /// The mistake of an output's path that is a directory's.
  package static func directory(_ path: String) -> String {
    let prefix = Paths.endsWithSlash(path) ? path : path + "/"
    return "'\(path)' is a directory: name a file in it, as in '\(prefix){name}.webp'"
  }

  /// What is at an output's location.
  enum Entry {
    case nothing
    case file(FileIdentity)
    case directory
    /// Nothing can be there, since this part of the path is a file.
    case behindFile(String)

    /// Follows links.
    init(at location: String) {
      var status = stat()
      if stat(location, &status) == 0 {
        self = status.st_mode & S_IFMT == S_IFDIR ? .directory : .file(FileIdentity(status))
        return
      }
      self = .nothing
      guard errno == ENOTDIR else {
        if Paths.components(location).contains(".."), let identity = FileIdentity(path: location) {
          self = .file(identity)
        }
        return
      }
      var part = DirectoryEntry(location).directory
      while part != ".", part != "/" {
        if stat(part, &status) == 0 {
          if status.st_mode & S_IFMT != S_IFDIR { self = .behindFile(part) }
          return
        }
        part = DirectoryEntry(part).directory
      }
    }

    var obstacle: Obstacle? {
      switch self {
      case .nothing, .file: nil
      case .directory: .directory
      case .behindFile(let part): .file(part)
      }
    }
  }
}
