import ImageBatch
import ImageDownloads
import Manifests

/// Sources that are operands: a path, a URL, a directory or a pattern each.
enum SourceOperands {
  /// Other names of the extensions that formats have.
  private static let aliases = ["jpg", "jpe", "jfif", "tif", "heif", "avifs", "j2k", "jp2"]

  /// The host of an operand that is a URL.
  static func host(of operand: String) -> String? {
    do { return try ImageSource(parsing: operand).host } catch { return nil }
  }

  /// Their jobs.
  /// - Parameter allowed: Formats that are read beyond the safe ones.
  static func jobs(
    _ operands: [String], _ options: ManifestOptions, allowed: some Sequence<String>
  ) throws -> OperandJobs {
    let extensions = Set(FormatSupport.readableByDefault + aliases + allowed)
    do {
      return try OperandJobs(operands, options) { path in
        guard let dot = path.utf8.lastIndex(of: UInt8(ascii: ".")) else { return false }
        return extensions.contains(path[path.index(after: dot)...].lowercased())
      }
    } catch let error as OperandJobs.Failure {
      throw Complaint(.usage, error.description)
    } catch let error as ManifestErrors {
      throw Complaint(.usage, error.diagnostics.first?.message ?? "these sources can't be read")
    }
  }
}
