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
  /// - Parameter given: The option's value: a report, or ``word``.
  /// - Throws: `CommandError` if no run is known.
  func report(_ given: String) throws -> String {
    if given != Self.word { return given }
    guard let path else {
      throw CommandError(
        .usage, "the failures of the last run are kept in the cache; leave out --no-cache, or name a report")
    }
    guard File.exists(path) else {
      throw CommandError(
        .usage,
        "no earlier run of the same command is known here; run it without --failed, or name a report: "
          + "--failed REPORT.ndjson")
    }
    return path
  }
}
