/// EXIT STATUS of the pages: the meaning of each status for the page's command.
enum ExitStatusSection {
  /// EXIT STATUS of all commands.
  static var overview: String {
    section(ExitStatus.allCases.map { ($0, general($0)) })
  }

  /// EXIT STATUS of one command.
  static func text(of command: String) -> String {
    section(
      ExitStatus.allCases.compactMap { status in meaning(of: status, for: command).map { (status, $0) } })
  }

  /// The statuses of a command.
  static func statuses(of command: String) -> [ExitStatus] {
    ExitStatus.allCases.filter { meaning(of: $0, for: command) != nil }
  }

  private static func section(_ statuses: [(ExitStatus, String)]) -> String {
    ".Sh EXIT STATUS\n.Bl -tag -width 143\n"
      + statuses.map { ".It \($0.0.rawValue)\n\($0.1)\n" }.joined() + ".El\n"
  }

  private static func general(_ status: ExitStatus) -> String {
    switch status {
    case .success: "Success: every output is in place."
    case .failed:
      "At least one job failed, or a file or standard output could not be written; the outputs of the other jobs are "
        + "in place."
    case .usage:
      "The command line, a setting or a manifest is wrong, or a resource limit\n.Pq Li ulimit\nis too low; nothing was "
        + "started."
    case .outOfDate:
      ".Fl \\-check\nfound a difference, such as an output that is missing or out of date; or\n.Fl \\-frozen\nfound a "
        + "source that isn't in the lock file or differs from it."
    case .temporary:
      "Every failure was temporary, such as a timeout, a refused connection, an unresolved host name, or a status 408, "
        + "429, 500, 502, 503 or 504; retrying may succeed."
    case .hungUp: "Stopped by SIGHUP, after work in flight was finished or discarded."
    case .interrupted: "Stopped by SIGINT, as with SIGHUP."
    case .terminated: "Stopped by SIGTERM, as with SIGHUP."
    }
  }

  /// The meaning of a status for a command; nil if the command never ends with it.
  private static func meaning(of status: ExitStatus, for command: String) -> String? {
    switch status {
    case .success: success[command]
    case .failed: failure[command]
    case .usage:
      usage[command]
        ?? "The command line or a setting is wrong, or a resource limit\n.Pq Li ulimit\nis too low; nothing was started."
    case .outOfDate: command == "run" ? general(status) : nil
    case .temporary where command == "run":
      general(status)
        + "\nWith\n.Fl \\-check ,\nsome sources or outputs could not be checked, and the others are up to date."
    case .temporary:
      ["run", "pipe", "convert", "fetch", "inspect", "ls"].contains(command) ? general(status) : nil
    case .hungUp, .interrupted, .terminated:
      switch command {
      case "run", "pipe", "convert": general(status)
      case "fetch", "inspect", "ls", "plan", "cache", "validate", "doctor": stopped(status)
      default: nil
      }
    }
  }

  private static func stopped(_ status: ExitStatus) -> String {
    "Stopped by SIG\(status == .hungUp ? "HUP" : status == .interrupted ? "INT" : "TERM")."
  }

  private static let success = [
    "run": "Every output is in place; with\n.Fl \\-check ,\nevery output is up to date.",
    "pipe":
      "Every output is in place; with\n.Fl \\-failures\\-are\\-results ,\nevery line has its result.",
    "convert": "Every output is written.",
    "fetch": "Every response arrived; without\n.Fl \\-any-status ,\nnone had an error status.",
    "ls": "Every prefix was listed.",
    "plan": "The plan is printed.",
    "report": "The merged report was written, even if outputs in it failed.",
    "validate": "The manifests have no mistakes.",
    "init": "The manifest is written.",
    "inspect": "Every source was inspected.",
    "filters": "The filters are printed.",
    "formats": "The formats are printed.",
    "config": "The settings are printed.",
    "cache": "The cache was read or changed as requested.",
    "schema": "The schema is printed.",
    "completions": "The completion script is printed.",
    "doctor": "Everything that\n.Nm imagemill\nneeds was found and works.",
    "help": "The page was shown.",
  ]

  private static let failure = [
    "run":
      "At least one job failed, or a report could not be written; the outputs of the other jobs are in place.\nWith\n"
      + ".Fl \\-check ,\na source or output can't be checked, for example because it doesn't exist, and the others are up to date.",
    "pipe":
      "At least one source failed, or a result or report could not be written; the other outputs are in place.",
    "convert":
      "A source could not be read or rendered, or an output could not be written; with\n.Fl o ,\nthe other outputs are written.",
    "fetch":
      "A download failed, a response had an error status, or the result could not be written.",
    "ls": "A bucket could not be listed, or the list could not be written.",
    "plan":
      "A line of standard input, or of a list longer than 16 MiB, is wrong; or the cache could not be read, or the plan could not be written.",
    "report": "The merged report could not be written.",
    "init": "The manifest could not be written.",
    "inspect": "A source could not be read, or the result could not be written to standard output.",
    "filters": "Standard output could not be written.",
    "formats": "Standard output could not be written.",
    "config": "Standard output could not be written.",
    "cache":
      "The cache could not be opened,\n.Cm verify\nfound a damaged object,\n.Cm explain\nhas no record of the "
      + "file, or standard output could not be written.",
    "schema": "Standard output could not be written.",
    "completions": "Standard output could not be written.",
    "doctor":
      "Something that\n.Nm imagemill\nneeds is missing or broken, a setting of\n.Cm run\nhas a wrong value, or standard "
      + "output could not be written.",
    "help": "Standard output could not be written.",
  ]

  private static let usage = [
    "run":
      "The command line, a setting or a manifest is wrong, or a resource limit\n.Pq Li ulimit\nis too low; nothing was started.\nA wrong line of standard input, or of a list "
      + "longer than 16 MiB, is a failed job instead.",
    "pipe":
      "The command line, a setting or the header of a table is wrong, or a resource limit\n.Pq Li ulimit\nis too low; nothing was started.",
    "plan":
      "The command line, a setting or a manifest is wrong, or a resource limit\n.Pq Li ulimit\nis too low.",
    "report":
      "The command line or a setting is wrong, or a file can't be read or isn't a report; nothing was written.",
    "validate": "The command line or a setting is wrong, or a manifest has mistakes or can't be read.",
    "filters": "The command line or a setting is wrong, or no filter has the name.",
    "formats": "The command line or a setting is wrong, or no format has the name.",
    "init":
      "The command line or a setting is wrong, the file exists already, or the list has mistakes.",
    "schema": "The command line or a setting is wrong, or no document has the name.",
    "completions": "The command line or a setting is wrong, or the shell is unknown.",
    "cache": "The command line or a setting is wrong; nothing was changed.",
    "config": "The command line, a setting or a manifest is wrong.",
    "doctor": "The command line is wrong, or the configuration file can't be read.",
    "help": "The command line is wrong, or no page has the name.",
  ]
}
