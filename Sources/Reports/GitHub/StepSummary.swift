import Glibc
package import ImageBatch
import Synchronization
import SystemIO
import TerminalText

/// GitHub's job summary: Markdown that is appended to the file named by `GITHUB_STEP_SUMMARY`.
package final class StepSummary: BatchReporter {
  /// The most failures to list; further ones are only counted. GitHub accepts 1 MiB per step.
  private static let listed = 50

  private struct State {
    var rows: [String] = []
    var summary: BatchSummary?
  }

  private let path: String
  private let state = Mutex(State())

  /// Creates a summary for the file at `path`.
  package init(path: String) { self.path = path }

  /// Records failures and totals.
  package func receive(_ event: BatchEvent) {
    switch event {
    case .outputFinished(let result):
      guard let error = result.error else { return }
      state.withLock { state in
        if state.rows.count < Self.listed { state.rows.append(Self.row(result, error)) }
      }
    case .finished(let summary): state.withLock { $0.summary = summary }
    default: break
    }
  }

  /// Appends the summary to the file.
  /// - Throws: `ReportError` if the file can't be written.
  package func finish() throws(ReportError) {
    let (rows, summary) = state.withLock { ($0.rows, $0.summary) }
    guard let summary else { return }
    // A named pipe without a reader would be waited for.
    let file = open(path, O_WRONLY | O_APPEND | O_CREAT | O_NONBLOCK | O_CLOEXEC, 0o666)
    guard file >= 0 else { throw .notWritable(path, "append to", errno: errno) }
    defer { close(file) }
    do throws(SystemError) {
      try FileIO.write(Array(Self.text(summary, rows: rows).utf8), to: file)
    } catch {
      throw .notWritable(path, "append to", errno: error.code)
    }
  }

  static func text(_ summary: BatchSummary, rows: [String]) -> String {
    var text =
      """
      ### imagemill: \(Summary.verdict(summary))

      | | done | failed | |
      | --- | ---: | ---: | --- |

      """
      + tableRows(summary).map { "| \($0.joined(separator: " | ")) |\n" }.joined()
      + "\n\(QuantityText.tenths(summary.seconds)) s\n"
    guard !rows.isEmpty else { return text }
    text +=
      "\n| source | output | why | where |\n| --- | --- | --- | --- |\n" + rows.joined(separator: "\n") + "\n"
    if summary.outputsFailed > rows.count {
      text += "\nand \(summary.outputsFailed - rows.count) more.\n"
    }
    return text
  }

  /// The totals in the words of the closing line, without those that are 0.
  private static func tableRows(_ summary: BatchSummary) -> [[String]] {
    func number(_ count: Int) -> String { count > 0 ? String(count) : "" }
    let rest =
      summary.isInputUnread
      ? "the rest not started" : Summary.listed([(summary.jobsNotStarted, "not started")]) ?? ""
    let completed = Summary.completed(summary)
    var rows = [
      ["jobs", String(summary.jobsDone), number(summary.jobsFailed), rest],
      [
        "outputs", String(completed.reduce(0) { $0 + $1.number }), number(summary.outputsFailed),
        Summary.listed(completed) ?? "",
      ],
    ]
    let spared = Summary.listed(Summary.sparedDownloads(summary))
    if summary.downloads > 0 || spared != nil {
      let bytes = summary.downloads > 0 ? QuantityText.bytes(summary.downloadedBytes) : nil
      let facts = [bytes, spared].compactMap(\.self)
      rows.append(["downloads", number(summary.downloads), "", facts.joined(separator: ", ")])
    }
    return rows
  }

  private static func row(_ result: OutputResult, _ error: JobError) -> String {
    let place = result.location.map { "\($0.file):\($0.line)" } ?? ""
    let why = "\(error.stage.rawValue): \(result.failureMessage ?? error.message)"
    let cells = [result.source, result.output ?? "", why, place]
    return "| " + cells.map(escaped).joined(separator: " | ") + " |"
  }

  /// Escapes text for a cell of a Markdown table, without Markdown or HTML, and limits it to 500 characters.
  static func escaped(_ text: String) -> String {
    var result = ""
    for scalar in TerminalText.visible(
      text.prefix(500).split(whereSeparator: \.isWhitespace).joined(separator: " ")
    ).unicodeScalars {
      switch scalar {
      case "&": result += "&amp;"
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      case "\\", "`", "*", "_", "[", "]", "(", ")", "#", "!", "|", "~", "@", ":", "$":
        result += "&#\(scalar.value);"
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }
}
