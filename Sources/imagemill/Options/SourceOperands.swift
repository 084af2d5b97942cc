import ImageBatch
import ImageDownloads
import Manifests
import ImageRendering

/// Sources given as operands, each a path, a URL, a directory or a pattern.
enum SourceOperands {
  /// File name extensions that aren't a format's own name.
  private static let aliases = ["jpg", "jpe", "jfif", "tif", "heif", "avifs", "j2k", "jp2"]

  /// The host of an operand that is a URL.
  static func host(of operand: String) -> String? {
    do { return try ImageSource(parsing: operand).host } catch { return nil }
  }

  /// The operands' jobs.
  /// - Parameters:
  ///   - allowed: The formats of `--allow-format`.
  ///   - outputDirectory: The directory of relative outputs. Default: the current directory.
  ///   - replacesSources: Whether outputs may replace sources.
  /// - Throws: `CommandError` if an operand names nothing, or the template is wrong.
  static func jobs(
    _ operands: [String], _ options: ManifestOptions, allowed: some Sequence<String>,
    outputDirectory: String = ".", replacesSources: Bool = false
  ) throws -> OperandJobs {
    let extensions = Set(FormatSupport.readableByDefault + aliases + allowed)
    do {
      return try OperandJobs(
        operands, options, outputDirectory: outputDirectory, replacesSources: replacesSources
      ) { path in
        guard let dot = path.utf8.lastIndex(of: UInt8(ascii: ".")) else { return false }
        return extensions.contains(path[path.index(after: dot)...].lowercased())
      }
    } catch let error as OperandJobs.Failure {
      throw CommandError(.usage, error.description)
    } catch let error as ManifestErrors {
      throw CommandError(options: error)
    }
  }
}
