import ArgumentParser
import Foundation
import ImageBatch
import Manifests

/// How manifests are read.
struct ManifestArguments: ParsableArguments {
  @Flag(help: "Let outputs and local sources lie outside their directories.")
  var allowOutside = false

  @Option(
    name: .customLong("env"),
    help: ArgumentHelp("A variable that the manifest's origins may use as ${NAME}. Repeatable.", valueName: "name"))
  var environment: [String] = []

  /// The names that `run` and its like take where none is given.
  static let defaultNames = ["imagemill.yaml", "imagemill.yml", "imagemill.toml", "imagemill.json"]

  /// The manifests to read: those given, or the current directory's own.
  static func paths(_ given: [String]) throws -> [String] {
    if !given.isEmpty { return given }
    guard let name = defaultNames.first(where: { FileManager.default.fileExists(atPath: $0) }) else {
      throw Complaint(
        .usage, "there is no manifest here; name one, or write one of \(defaultNames.joined(separator: ", "))")
    }
    return [name]
  }

  /// Reads a whole document, or complains of every mistake in it.
  func read(_ path: String, _ change: (inout ManifestOptions) -> Void = { _ in }) throws -> Manifest {
    var options = ManifestOptions()
    options.directory = Self.directory(of: path)
    options.allowsOutside = allowOutside
    for name in environment { options.environment[name] = ProcessInfo.processInfo.environment[name] ?? "" }
    change(&options)
    let bytes = try Self.bytes(of: path)
    do throws(ManifestErrors) {
      return try ManifestReader(options).read(bytes, name: path, form: Self.form(of: path, bytes))
    } catch {
      throw ManifestComplaint(error)
    }
  }

  /// What a manifest's relative paths are relative to.
  static func directory(of path: String) -> String {
    let directory = path == "-" ? "" : (path as NSString).deletingLastPathComponent
    return directory.isEmpty ? "." : directory
  }

  private static func bytes(of path: String) throws -> [UInt8] {
    do {
      if path == "-" { return Array(try FileHandle.standardInput.readToEnd() ?? Data()) }
      return Array(try Data(contentsOf: URL(fileURLWithPath: path)))
    } catch {
      throw Complaint(.usage, "can't read the manifest \(path): \(error.localizedDescription)")
    }
  }

  /// By extension; standard input is JSON where it begins like an object, else YAML.
  private static func form(of path: String, _ bytes: [UInt8]) -> ManifestReader.Form {
    switch (path as NSString).pathExtension.lowercased() {
    case "json": return .json
    case "toml": return .toml
    case "yaml", "yml": return .yaml
    default:
      let first = bytes.first { !" \t\r\n".utf8.contains($0) }
      return first == UInt8(ascii: "{") ? .json : .yaml
    }
  }
}

/// Every mistake of a manifest.
struct ManifestComplaint: Error {
  let errors: ManifestErrors

  init(_ errors: ManifestErrors) { self.errors = errors }
}
