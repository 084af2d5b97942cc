import ObjectStorage
import SystemIO

/// Where a batch's outputs are: a directory, or a bucket of object storage with a prefix of keys.
///
/// An output's location is a path, or the address of an object: `s3://bucket/key`. No normalized path begins like that.
struct OutputDirectory: Hashable, Sendable {
  /// The path as given.
  let root: String
  /// Whether outputs may be written outside.
  let allowsOutside: Bool

  /// The location of the output with `path`. Checks the text only, not symbolic links.
  /// - Throws: `JobError` if `path` names no file, or lies outside without permission.
  func location(of path: String, isObject: Bool = false) throws(JobError) -> String {
    if isObject {
      guard allowsOutside else { throw outside(path) }
      return try Self.address(path).description
    }
    if path.isEmpty || Paths.endsWithSlash(path) {
      throw JobError(
        code: .badOutput, stage: .write, message: "the output's path '\(path)' doesn't name a file")
    }
    if Paths.leaves(path) && !allowsOutside { throw outside(path) }
    let normal = Paths.normalized(path)
    if let prefix, !Paths.isAbsolute(path) {
      return try Self.address(prefix.description + normal).description
    }
    return Paths.isAbsolute(path) || root == "." || root.isEmpty ? normal : Paths.joined(root, normal)
  }

  /// The prefix of the objects' addresses, up to a slash; nil for a directory.
  var prefix: ObjectAddress? {
    guard ObjectAddress.isAddress(root), let address = try? ObjectAddress(parsingPrefix: root) else {
      return nil
    }
    let ends = address.key.isEmpty || Paths.endsWithSlash(address.key)
    return ObjectAddress(bucket: address.bucket, key: ends ? address.key : address.key + "/")
  }

  /// The object at a location; nil for a file.
  static func object(at location: String) -> ObjectAddress? {
    ObjectAddress.isAddress(location) ? try? ObjectAddress(parsing: location) : nil
  }

  private static func address(_ text: String) throws(JobError) -> ObjectAddress {
    do throws(ObjectAddress.Mistake) {
      let address = try ObjectAddress(parsing: text)
      guard !Paths.endsWithSlash(address.key) else {
        throw ObjectAddress.Mistake(message: "the key of an image can't end in a slash")
      }
      return address
    } catch {
      throw JobError(code: .badOutput, stage: .write, message: "'\(text)': \(error.message)")
    }
  }

  /// Opens the directory of `location`, creating it if it is missing. No symbolic link may lead outside the root.
  /// - Throws: `JobError` if the directory can't be created or opened, or lies outside.
  func open(_ location: String) throws(JobError) -> OpenDirectory {
    let path = DirectoryEntry(location).directory
    do throws(AtomicFile.Failure) {
      if allowsOutside || path == "." || path == "/" {
        try create(path)
        return try OpenDirectory(path)
      }
      let root = root.isEmpty ? "." : root
      try create(root)
      let names = Paths.components(path).dropFirst(root == "." ? 0 : Paths.components(root).count)
      if let directory = try OpenDirectory(root).making(Array(names)) { return directory }
    } catch {
      throw JobError(code: .writeFailed, stage: .write, message: error.message)
    }
    throw outside(location)
  }

  private func create(_ path: String) throws(AtomicFile.Failure) {
    do throws(SystemError) {
      if path != ".", path != "/" { try Directory.create(path) }
    } catch {
      throw AtomicFile.Failure(action: "create the directory \(path)", code: error.code)
    }
  }

  private func outside(_ path: String) -> JobError {
    JobError(
      code: .outsideOutputDirectory, stage: .write,
      message: "the output '\(path)' lies outside the output directory '\(root)'")
  }
}
