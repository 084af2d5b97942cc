import ImageBatch
import ImageCaches
import ImageDownloads
import Reports
import SystemIO

/// The record of a command's last failures, for `--failed` without a report.
///
/// Each command, working directory and list of inputs has its own record in the cache's directory, so that two projects
/// that share a cache don't select each other's jobs.
struct LastRun {
  /// The value of `--failed` that stands for the last run.
  static let word = "last"

  /// The file; nil if the command uses no persistent cache.
  let path: String?

  /// - Parameters:
  ///   - command: The command's name.
  ///   - inputs: What selects the jobs: manifests, a shard, sources.
  init(of command: String, _ inputs: [String], cache: CacheSettings) {
    guard !cache.isEphemeral, let directory = cache.persistentDirectory else {
      path = nil
      return
    }
    var key = KeyBuilder("last-run")
    key.append(command)
    key.append(Paths.workingDirectory)
    for input in inputs { key.append(input) }
    path = "\(directory)/last/\(key.digest.hex.prefix(16)).ndjson"
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

/// The command that continues from where a batch ended.
struct Continuation: Sendable {
  /// The command line as typed, without the executable.
  var arguments: [String] = Invocation.current.typed
  var record: FailureRecord?
  /// An NDJSON report that the run writes; nil for none.
  var report: String?
  /// Whether jobs come from standard input, which the next command has to be given again.
  var readsInput = false

  /// The last line of a batch; nil if there is nothing to continue.
  func line(_ summary: BatchSummary) -> String? {
    guard !arguments.isEmpty else { return nil }
    var words = arguments
    words.removeAll { $0.hasPrefix("--failed=") }
    while let place = words.firstIndex(of: "--failed") {
      let hasValue = place + 1 < words.count && Operands.isReport(words[place + 1])
      words.removeSubrange(place...(hasValue ? place + 1 : place))
    }
    let input = readsInput ? " with the same input" : ""
    if summary.jobsNotStarted > 0 {
      return "to make the rest, run again\(input): \(Self.commandLine(arguments))"
    }
    guard summary.outputsFailed > 0 else { return nil }
    let selection: [String]
    if record?.isKept == true {
      selection = ["--failed"]
    } else if let report {
      selection = ["--failed=\(report)"]
    } else {
      return nil
    }
    words.insert(contentsOf: selection, at: min(1, words.count))
    return "to retry what failed, run\(input): \(Self.commandLine(words))"
  }

  /// The words as a shell reads them, without secrets.
  static func commandLine(_ words: [String]) -> String {
    var shown = ["imagemill"]
    var hidesNext = false
    for word in words {
      let name = String(word.prefix { $0 != "=" })
      if hidesNext {
        shown.append("…")
      } else if word.contains("="), secretOptions.contains(name) {
        shown.append("\(name)=…")
      } else if word.hasPrefix("-"), !word.hasPrefix("--"), word.count > 2,
        secretOptions.contains(String(word.prefix(2)))
      {
        shown.append("\(word.prefix(2))…")
      } else {
        shown.append(ShellWord.quoted(RedactedURL.text(word)))
      }
      hidesNext = secretOptions.contains(word)
    }
    return shown.joined(separator: " ")
  }

  private static let secretOptions: Set<String> = ["-H", "--header", "-u", "--user", "--proxy"]
}

/// A word of a command line, quoted where the shell would change it.
enum ShellWord {
  static func quoted(_ word: String) -> String {
    let isPlain = word.utf8.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"):
        true
      default: "-_=+:,./@%".utf8.contains(byte)
      }
    }
    if isPlain, !word.isEmpty { return word }
    return "'\(word.replacing("'", with: "'\\''"))'"
  }
}

/// A URL without the user's name, password and tokens.
private enum RedactedURL {
  static func text(_ word: String) -> String {
    if ["http", "https"].contains(URLReference.scheme(of: word)) {
      return ImageSource.url(word).displayText
    }
    guard let scheme = word.firstRange(of: "://") else { return word }
    let rest = word[scheme.upperBound...]
    let authority = rest.prefix { !"/?#".contains($0) }
    guard let user = authority.lastIndex(of: "@") else { return word }
    return "\(word[..<scheme.upperBound])…\(word[user...])"
  }
}
