import FoundationEssentials
import ImageBatch
import SystemIO

/// The outputs of an earlier run, from its `.json` or `.ndjson` report, to compare a contact sheet with.
package struct EarlierReport: Sendable {
  /// What an earlier run made of an output.
  struct Entry: Sendable, Decodable {
    var output: String?
    var status: String
    var width: Int?
    var height: Int?
    var bytes: Int?
    var sha256: String?

    var hasFailed: Bool { status == OutputResult.Status.failed.rawValue }
  }

  /// The file's name as given.
  package let name: String
  /// The outputs by path.
  let entries: [String: Entry]

  private struct Document: Decodable {
    var outputs: [Entry]
  }

  /// Reads a report.
  /// - Parameter path: The file.
  /// - Throws: `ReportError` with code `report-not-readable` if it can't be read, or isn't a JSON or NDJSON report.
  package init(path: String) throws(ReportError) {
    let bytes: [UInt8]
    do throws(SystemError) {
      bytes = try File.contents(of: path, limit: 1 << 30)
    } catch {
      throw .notReadable(path, error.text)
    }
    try self.init(bytes, name: path)
  }

  /// Reads a report's bytes.
  init(_ bytes: [UInt8], name: String) throws(ReportError) {
    self.name = name
    let found: [Entry]
    do {
      found = try Self.entries(Data(bytes))
    } catch {
      throw .notReadable(name, "it isn't a .json or .ndjson report of imagemill")
    }
    entries = Dictionary(found.compactMap { entry in entry.output.map { ($0, entry) } }) { $1 }
  }

  private static func entries(_ bytes: Data) throws -> [Entry] {
    let decoder = JSONDecoder()
    do {
      return try decoder.decode(Document.self, from: bytes).outputs
    } catch {
      // Not one document: a line for each output.
      let lines = bytes.split(separator: UInt8(ascii: "\n"))
      if lines.isEmpty { throw error }
      return try lines.map { try decoder.decode(Entry.self, from: $0) }
    }
  }
}

/// The difference between an output and that of an earlier report.
enum OutputChange: String, CaseIterable {
  /// The earlier report doesn't have the output.
  case new
  /// The output failed in the earlier report, and now has not.
  case fixed
  /// The output failed, and had not in the earlier report.
  case broken
  /// The file has other bytes.
  case changed
  /// Nothing has changed.
  case same

  init(_ result: OutputResult, since earlier: EarlierReport.Entry?) {
    guard let earlier else {
      self = .new
      return
    }
    self =
      switch (result.status == .failed, earlier.hasFailed) {
      case (true, false): .broken
      case (false, true): .fixed
      case (true, true): .same
      case (false, false): result.sha256 == earlier.sha256 ? .same : .changed
      }
  }

  /// The words for it on the page.
  var words: String {
    switch self {
    case .new: "new"
    case .fixed: "fixed"
    case .broken: "newly failed"
    case .changed: "changed"
    case .same: "same as before"
    }
  }
}
