import ImageBatch
import ImageDownloads
import Reports

/// The command that continues from where a batch ended.
struct Continuation: Sendable {
  /// The command line as typed, without the executable.
  var arguments: [String] = Invocation.current.typed
  var record: FailureRecord?
  /// An NDJSON report that the run writes; nil for none.
  var report: String?
  /// Whether jobs come from standard input, which the next command has to be given again.
  var readsInput = false
  /// Whether the command keeps no record, so that it is the one to run again.
  var repeatsWhole = false
  /// Whether the run ends after a number of failures.
  var hasFailureLimit = false

  /// The last line of a batch; nil if there is nothing to continue.
  func line(_ summary: BatchSummary) -> String? {
    guard !arguments.isEmpty else { return nil }
    let operands = arguments.firstIndex(of: "--") ?? arguments.endIndex
    var words = Array(arguments[..<operands])
    // The report that selected this run's jobs.
    var selecting: String?
    while let place = words.firstIndex(where: { $0 == "--failed" || $0.hasPrefix("--failed=") }) {
      let hasValue =
        words[place] == "--failed" && place + 1 < words.count && Operands.isReport(words[place + 1])
      let assigned = words[place].split(separator: "=", maxSplits: 1).dropFirst().first
      selecting = hasValue ? words[place + 1] : assigned.map(String.init)
      words.removeSubrange(place...(hasValue ? place + 1 : place))
    }
    let input = readsInput ? " with the same input" : ""
    if !summary.isWhole {
      let (unlimited, limits) = Self.withoutLimits(arguments[..<operands])
      // With its limit, the command would stop at the same failure again.
      guard summary.outputsFailed > 0, !limits.isEmpty else {
        if summary.outputsFailed > 0, hasFailureLimit {
          return
            "to make the rest, mend what failed or turn off the setting fail-fast or max-failures, then run"
            + "\(input): \(Self.commandLine(arguments))"
        }
        return "to make the rest, run again\(input): \(Self.commandLine(arguments))"
      }
      return "to make the rest, run without \(limits.joined(separator: " and "))\(input): "
        + Self.commandLine(unlimited + arguments[operands...])
    }
    guard summary.outputsFailed > 0 else { return nil }
    let selection: String
    if record?.isKept == true {
      selection = "--failed"
    } else if let report = report ?? selecting {
      selection = "--failed=\(report)"
    } else {
      guard repeatsWhole else { return nil }
      // Outputs that are in place are kept.
      return "to retry what failed, run again\(input): \(Self.commandLine(arguments))"
    }
    words = Self.withoutWholeFiles(words)
    // Behind the operands: before them, a manifest such as jobs.ndjson would be read as the option's report.
    words.append(selection)
    return "to retry what failed, run\(input): \(Self.commandLine(words + arguments[operands...]))"
  }

  /// The options without those whose files describe a whole run: the retry has only a part of the outputs. Standard output
  /// replaces nothing.
  private static func withoutWholeFiles(_ options: [String]) -> [String] {
    var words: [String] = []
    var rest = options[...]
    // A lock file that is read, not written.
    let readsLock = options.contains("--frozen")
    while let word = rest.popFirst() {
      let parts = word.split(separator: "=", maxSplits: 1)
      guard let name = parts.first.map(String.init),
        ["--lock", "--report", "--emit", "--compare"].contains(name)
      else {
        words.append(word)
        continue
      }
      let hasValue = name.count < word.count
      let value = hasValue ? String(parts.count > 1 ? parts[1] : "") : rest.first ?? ""
      if !hasValue { _ = rest.popFirst() }
      if name == "--lock" && readsLock || name == "--report" && value == "-"
        || name == "--emit" && value.hasSuffix("=-")
      {
        words += hasValue ? [word] : [word, value]
      }
    }
    return words
  }

  /// The options without those that end a run after failures.
  /// - Returns: The other words, and the names of the options that were left out.
  private static func withoutLimits(_ options: ArraySlice<String>) -> (words: [String], limits: [String]) {
    var words: [String] = []
    var limits: [String] = []
    var isValue = false
    for word in options {
      let name = String(word.prefix { $0 != "=" })
      if isValue {
        isValue = false
      } else if name == "--fail-fast" || name == "--max-failures" {
        if !limits.contains(name) { limits.append(name) }
        isValue = word == "--max-failures"
      } else {
        words.append(word)
      }
    }
    return (words, limits)
  }

  /// The words as a shell reads them, without secrets.
  static func commandLine(_ words: [String]) -> String {
    var shown = ["imagemill"]
    var hidesNext = false
    for word in words {
      let name = String(word.prefix { $0 != "=" })
      if hidesNext {
        shown.append(hidden(word[...]))
      } else if word.contains("="), secretOptions.contains(name) {
        shown.append("\(name)=\(hidden(word.dropFirst(name.count + 1)))")
      } else if let letters = secretLetters(word), letters.count < word.count {
        shown.append("\(letters)\(hidden(word.dropFirst(letters.count)))")
      } else {
        shown.append(ShellWord.quoted(RedactedURL.text(word)))
      }
      hidesNext = secretOptions.contains(word) || secretLetters(word) == word
    }
    return shown.joined(separator: " ")
  }

  /// What stands for a secret; `-` reads it from standard input, and is none.
  private static func hidden(_ value: Substring) -> String { value == "-" ? "-" : "…" }

  private static let secretOptions: Set<String> = [
    "--header", "--user", "--proxy", "--remote-cache-header",
  ]

  /// The beginning of a word such as `-qHName: value`, up to the option whose value is a secret; nil for other words.
  private static func secretLetters(_ word: String) -> String? {
    word.prefixMatch(of: #/-[0nqv]*[Hu]/#).map { String($0.output) }
  }
}

/// A URL without the user's name, password and tokens.
private enum RedactedURL {
  static func text(_ word: String) -> String {
    // A URL may follow a name, as in --source logo=https://example.com/logo.png.
    guard let match = word.firstMatch(of: #/^([^:]*=)?(https?:\/\/.*)$/#.ignoresCase()) else {
      return SecretText.hidden(in: word)
    }
    return (match.1 ?? "") + ImageSource.url(String(match.2)).displayText
  }
}
