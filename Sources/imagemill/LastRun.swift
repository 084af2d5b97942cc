import ImageBatch
import ImageCaches
import ObjectStorage
import Reports
import SystemIO

/// The record of a command's last failures, for `--failed` without a report.
///
/// Each command, working directory, list of inputs and place of outputs has its own record in the cache's directory, so that two projects
/// that share a cache don't select each other's jobs.
struct LastRun {
  /// The value of `--failed` that stands for the last run.
  static let word = "last"

  /// The file; nil if the command uses no persistent cache.
  let path: String?

  /// - Parameters:
  ///   - command: The command's name.
  ///   - inputs: What selects the jobs: manifests, a shard, sources.
  ///   - outputs: The directory and the template of outputs; nil for none.
  init(
    of command: String, _ inputs: [String], outputs: (directory: String?, template: String?),
    cache: CacheSettings
  ) {
    guard !cache.isEphemeral, let place = cache.persistentDirectory else {
      path = nil
      return
    }
    var key = KeyBuilder("last-run")
    key.append(command)
    key.append(Paths.workingDirectory)
    for input in inputs { key.append(input) }
    let directory = outputs.directory ?? ""
    key.append(
      ObjectAddress.isAddress(directory) ? directory : Paths.absolute(directory))
    key.append(outputs.template ?? "")
    path = "\(DiskStore.recordsDirectory(in: place))/\(key.digest.hex.prefix(16)).ndjson"
  }

  /// The record that the run writes at its end.
  /// - Parameter isSelection: Whether the run makes only what failed before.
  func record(isSelection: Bool) -> FailureRecord? {
    path.map { FailureRecord(path: $0, keepsOlder: isSelection) }
  }

  /// The report that `--failed` reads.
  /// - Parameters:
  ///   - given: The option's value: a report, or ``word``.
  ///   - whole: The last run of all shards, which counts if this shard has none of its own. Default: none.
  /// - Throws: `CommandError` if no run is known.
  func report(_ given: String, orOf whole: LastRun? = nil) throws -> String {
    if given != Self.word { return given }
    if let report = Self.misnamedReport {
      throw CommandError(
        .usage,
        "--failed needs a report that ends in .ndjson, and \(report) doesn't; \(Remedies.wantedReport)")
    }
    guard let path else {
      throw CommandError(
        .usage, "the failures of the last run are kept in the cache; leave out --no-cache, or name a report")
    }
    guard let known = [path, whole?.path].compactMap(\.self).first(where: File.exists) else {
      throw CommandError(
        .usage,
        "no earlier run of the same command is known here; run it without --failed, or name a report: "
          + "--failed REPORT.ndjson")
    }
    return known
  }

  /// A report of another format than NDJSON behind `--failed`, which is taken for an operand; nil for none.
  private static var misnamedReport: String? {
    let words = Invocation.current.typed.prefix { $0 != "--" }
    guard let option = words.firstIndex(of: "--failed"), option + 1 < words.endIndex else { return nil }
    let word = words[option + 1]
    do {
      let kind = SideFileKind.report(try ReportFormat(path: word))
      return try word != "-" && kind.matches(File.start(of: word, count: 4096), of: word) ? word : nil
    } catch {
      // Neither a report's name nor a file.
      return nil
    }
  }
}
