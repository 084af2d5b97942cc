import Foundation
import ImageBatch
import ImageDownloads
import ImageFilters
import Testing

@testable import Manifests
import ImageRendering

/// A directory with a manifest's tables.
final class RowFixture {
  let directory: String

  init(_ files: [String: String] = [:]) throws {
    directory = FileManager.default.temporaryDirectory.path + "/rows-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
    for (name, text) in files { try write(text, to: name) }
  }

  deinit { try? FileManager.default.removeItem(atPath: directory) }

  func write(_ text: String, to name: String) throws {
    let path = directory + "/" + name
    try FileManager.default.createDirectory(
      atPath: (path as NSString).deletingLastPathComponent, withIntermediateDirectories: true)
    try Data(text.utf8).write(to: URL(fileURLWithPath: path))
  }

  func read(
    _ jobs: String, head: String = "", _ change: (inout ManifestOptions) -> Void = { _ in }
  ) throws -> Manifest {
    var options = ManifestOptions()
    options.directory = directory
    change(&options)
    let text = "imagemill: 1\n\(head)jobs:\n\(jobs)\n"
    return try ManifestReader(options).read(Array(text.utf8), name: "m.yaml", form: .yaml)
  }

  func complaints(
    _ jobs: String, head: String = "", _ change: (inout ManifestOptions) -> Void = { _ in }
  ) throws -> [String] {
    do {
      _ = try read(jobs, head: head, change)
      return []
    } catch let errors as ManifestErrors {
      return errors.diagnostics.map {
        "\($0.file.replacing(directory + "/", with: "")):\($0.line):\($0.column): \($0.message.replacing(directory + "/", with: ""))"
      }
    }
  }

  /// The paths of all rows' outputs.
  static func paths(_ manifest: Manifest) throws -> [String] {
    try manifest.rows.flatMap { rows in
      try rows.flatMap { result in
        let job = try result.get()
        return job.outputs.map { $0.path(of: job, in: nil) }
      }
    }
  }

  static func jobs(_ manifest: Manifest) throws -> [Job] {
    try manifest.rows.flatMap { try $0.map { try $0.get() } }
  }
}
