import Foundation
import ImageBatch
import ImageCaches
import ImageDownloads
import Synchronization

/// What every source of a run was, for review in a pull request and for `--frozen`: JSON, sorted, one member a line.
struct LockFile {
  struct Entry: Codable, Equatable {
    var sha256: String
    var bytes: Int
    var finalURL: String?
    var etag: String?
    var lastModified: String?
    var type: String?
    var format: String?
    var width: Int?
    var height: Int?

    enum CodingKeys: String, CodingKey {
      case sha256, bytes, etag, type, format, width, height
      case finalURL = "final-url"
      case lastModified = "last-modified"
    }
  }

  private struct Document: Codable {
    var version: Int
    var sources: [String: Entry]

    enum CodingKeys: String, CodingKey {
      case version = "imagemill-lock"
      case sources
    }
  }

  private let path: String
  let sources: [String: Entry]

  init(_ sources: [String: Entry]) {
    path = ""
    self.sources = sources
  }

  /// The lock file at `path`.
  init(reading path: String) throws {
    self.path = path
    do {
      let document = try JSONDecoder().decode(
        Document.self, from: try Data(contentsOf: URL(fileURLWithPath: path)))
      guard document.version == 1 else {
        throw Complaint(
          .usage, "the lock file \(path) is of version \(document.version); this imagemill reads 1")
      }
      sources = document.sources
    } catch let complaint as Complaint {
      throw complaint
    } catch {
      throw Complaint(
        .usage, "can't read the lock file \(path); write it with 'imagemill run --lock \(path)'")
    }
  }

  /// Writes it whole or not at all.
  func write(to path: String) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    do {
      var data = try encoder.encode(Document(version: 1, sources: sources))
      data.append(UInt8(ascii: "\n"))
      try data.write(to: URL(fileURLWithPath: path), options: .atomic)
    } catch {
      throw Complaint(.failed, "can't write the lock file \(path): \(error.localizedDescription)")
    }
  }

  /// Pins every job's source to what is locked. A source that isn't locked is refused.
  func pin(_ input: inout JobOptions.Input) throws {
    var unknown: [String] = []
    for index in input.jobs.indices where !pin(&input.jobs[index]) {
      unknown.append(input.jobs[index].sources.first?.displayText ?? "")
    }
    guard unknown.isEmpty, input.streams.isEmpty else {
      let list = unknown.map { "  + \($0)" }.joined(separator: "\n")
      throw Complaint(
        .outOfDate,
        unknown.isEmpty
          ? "--frozen is for manifests that are read whole: YAML, JSON or TOML"
          : "these sources aren't in \(path); run without --frozen to lock them:\n\(list)")
    }
  }

  /// What differs, as a diff of this file.
  func difference(from mismatches: [String: String]) -> String {
    var text = "--- \(path)\n+++ what the sources are now\n"
    for (source, digest) in mismatches.sorted(by: { $0.key < $1.key }) {
      text += "@@ \(source) @@\n-sha256 \(sources[source]?.sha256 ?? "")\n+sha256 \(digest)\n"
    }
    return text
  }

  private func pin(_ job: inout Job) -> Bool {
    guard let locked = job.sources.compactMap({ sources[$0.displayText] }).first,
      let digest = ContentDigest(hex: locked.sha256)
    else { return false }
    job.pinnedDigest = job.pinnedDigest ?? digest
    return true
  }
}

/// Gathers what the sources of a run were.
final class LockedSources: Sendable {
  private struct State {
    var entries: [String: LockFile.Entry] = [:]
    /// What refused sources are now.
    var mismatches: [String: String] = [:]
  }

  private let state = Mutex(State())

  func add(_ record: SourceRecord) {
    let stored = record.stored
    let entry = LockFile.Entry(
      sha256: stored.digest.hex, bytes: stored.byteCount, finalURL: stored.finalURL, etag: stored.etag,
      lastModified: stored.lastModified, type: stored.contentType, format: record.format, width: record.width,
      height: record.height)
    state.withLock { $0.entries[stored.displayText] = entry }
  }

  func note(_ result: OutputResult) {
    guard let found = result.error?.foundDigest else { return }
    state.withLock { $0.mismatches[result.source] = found.hex }
  }

  var all: [String: LockFile.Entry] { state.withLock(\.entries) }
  /// The SHA-256 of each source that was refused because its bytes differ from what was pinned.
  var mismatches: [String: String] { state.withLock(\.mismatches) }
}
