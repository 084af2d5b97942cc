/// Sections of the manual that say the same on several pages.
enum ManualSections {
  /// The commands that download.
  private static let downloading: Set<String> = ["run", "pipe", "convert", "fetch", "inspect", "plan"]

  /// EXIT STATUS of a command: those that it can end with.
  static func exitStatus(of command: String) -> String {
    let statuses = ExitStatus.allCases.filter { status in
      switch status {
      case .success, .usage: true
      case .failed: !["schema", "completions", "filters", "formats"].contains(command)
      case .outOfDate: command == "run"
      case .temporary: ["run", "pipe", "convert", "fetch", "inspect"].contains(command)
      case .interrupted, .terminated: ["run", "pipe", "convert", "fetch", "inspect"].contains(command)
      }
    }
    return ".Sh EXIT STATUS\n" + list(statuses)
  }

  /// EXIT STATUS of all commands.
  static var exitStatus: String { ".Sh EXIT STATUS\n" + list(ExitStatus.allCases) }

  private static func list(_ statuses: [ExitStatus]) -> String {
    ".Bl -tag -width 143\n" + statuses.map { ".It \($0.rawValue)\n\(meaning(of: $0))\n" }.joined() + ".El\n"
  }

  private static func meaning(of status: ExitStatus) -> String {
    switch status {
    case .success: "Everything is done: every output is in place."
    case .failed: "At least one job failed; the others are in place."
    case .usage: "The command line or a manifest is wrong, and nothing was started."
    case .outOfDate:
      ".Fl \\-check\nfound something missing or out of date, or\n.Fl \\-frozen\na source that has changed."
    case .temporary: "As 1, and every failure was temporary: the same command may pass later."
    case .interrupted: "Stopped by SIGINT, after what was in flight had been finished or discarded."
    case .terminated: "Stopped by SIGTERM, in the same way."
    }
  }

  /// SYNOPSIS of a command whose operands mean something else with an option.
  static func synopsis(of command: String) -> String? {
    guard command == "convert" else { return nil }
    return """
      .Nm imagemill Cm convert
      .Op Ar options
      .Ar source output
      .Nm imagemill Cm convert
      .Op Ar options
      .Fl o Ar template
      .Ar source ...

      """
  }

  /// ENVIRONMENT of a command; none where nothing of it matters.
  static func environment(of command: String) -> String {
    if command == "cache" || command == "doctor" { return heading + cacheVariables + ".El\n" }
    guard downloading.contains(command) else { return "" }
    return heading + cacheVariables + proxyVariables
      + (["run", "pipe"].contains(command) ? terminalVariables : "") + ".El\n"
  }

  /// ENVIRONMENT of all commands.
  static var environment: String { heading + cacheVariables + proxyVariables + terminalVariables + ".El\n" }

  private static let heading = ".Sh ENVIRONMENT\n.Bl -tag -width Ds\n"

  private static let cacheVariables = """
    .It Ev IMAGEMILL_CACHE_DIR
    The cache's directory.
    .It Ev XDG_CACHE_HOME
    Where that isn't set: the cache is
    .Pa imagemill
    in it.
    .It Ev HOME
    Where neither is set: the cache is
    .Pa .cache/imagemill
    in it.
    .It Ev TMPDIR
    Where temporary files go;
    .Pa /tmp
    unless set.

    """

  private static let proxyVariables = """
    .It Ev http_proxy , https_proxy , all_proxy , no_proxy
    Proxies, and the hosts that are reached without them, as in
    .Xr curl 1 .

    """

  private static let terminalVariables = """
    .It Ev NO_COLOR
    No colour on the terminal.
    .It Ev TERM
    Where it is
    .Ql dumb
    or isn't set, progress is plain lines.
    .It Ev GITHUB_ACTIONS , GITHUB_STEP_SUMMARY
    In a GitHub workflow: failures are annotations at the manifest's line, and the summary is the step's.

    """

  /// FILES of a command; none where it uses none of its own.
  static func files(of command: String) -> String {
    let readsManifest = ["run", "plan", "validate"].contains(command)
    let usesCache = downloading.contains(command) || ["cache", "doctor"].contains(command)
    if !readsManifest && !usesCache { return "" }
    return ".Sh FILES\n.Bl -tag -width Ds\n" + (readsManifest ? manifestFiles : "")
      + (usesCache ? cacheFiles : "") + ".El\n"
  }

  /// FILES of all commands.
  static var files: String { ".Sh FILES\n.Bl -tag -width Ds\n" + manifestFiles + cacheFiles + ".El\n" }

  private static let manifestFiles = """
    .It Pa imagemill.yaml , imagemill.yml , imagemill.toml , imagemill.json
    The manifest of a directory: the first of them is taken where none is named.

    """

  private static let cacheFiles = """
    .It Pa ~/.cache/imagemill
    The cache: an SQLite index, and objects named for the SHA-256 of their bytes.
    It may be removed at any time; what was in it is made again.

    """
}
