/// Sections that several pages share.
enum ManualSections {
  /// The commands that download.
  private static let downloading: Set<String> = ["run", "pipe", "convert", "fetch", "inspect", "plan", "ls"]

  /// SYNOPSIS of a command whose operands or options depend on each other; nil for other commands.
  static func synopsis(of command: String) -> String? {
    if command == "report" {
      return """
        .Nm imagemill Cm report merge
        .Op Ar options
        .Fl o Ar file
        .Ar report ...

        """
    }
    if command == "pipe" {
      return """
        .Nm imagemill Cm pipe
        .Op Ar options
        .Fl o Ar template
        .Op Ar source ...
        .Nm imagemill Cm pipe
        .Op Ar options
        .Op Fl o Ar template
        .Fl \\-input Ar ndjson|csv|tsv

        """
    }
    if command == "run" {
      return """
        .Nm imagemill Cm run
        .Op Ar options
        .Op Ar manifest ...
        .Op Ar target ...

        """
    }
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

  /// ENVIRONMENT of a command; empty if it uses no variable.
  static func environment(of command: String) -> String {
    if command == "cache" || command == "doctor" {
      return heading + settingVariables + cacheVariables + (command == "doctor" ? certificateVariables : "")
        + ".El\n"
    }
    if command == "config" {
      let own = settingVariables.replacing(".Cm imagemill config\nlists all settings.\n", with: "")
      return heading + own + ".El\n"
    }
    if command == "validate" { return heading + settingVariables + ".El\n" }
    guard downloading.contains(command) else { return "" }
    var section = heading + settingVariables
    if command != "ls" { section += cacheVariables }
    section += proxyVariables + certificateVariables + storageVariables
    if ["run", "pipe"].contains(command) { section += terminalVariables }
    return section + ".El\n"
  }

  /// ENVIRONMENT of all commands.
  static var environment: String {
    heading + settingVariables + cacheVariables + proxyVariables + certificateVariables + storageVariables
      + terminalVariables + libraryVariables + ".El\n"
  }

  private static let heading = ".Sh ENVIRONMENT\n.Bl -tag -width Ds\n"

  private static let settingVariables = """
    .It Ev IMAGEMILL_*
    Set a setting, such as
    .Ev IMAGEMILL_PER_HOST
    for
    .Fl \\-per-host .
    The command line overrides it.
    Flags take
    .Li true , yes , on
    or
    .Li 1 ,
    or
    .Li false , no , off
    or
    .Li 0 ,
    in upper or lower case.
    .Cm imagemill config
    lists all settings.
    .It Ev XDG_CONFIG_HOME
    The directory of
    .Pa imagemill/config.toml
    (default:
    .Pa $HOME/.config ) .

    """

  private static let cacheVariables = """
    .It Ev IMAGEMILL_CACHE_DIR
    The cache directory.
    .It Ev XDG_CACHE_HOME
    If
    .Ev IMAGEMILL_CACHE_DIR
    is unset, the cache is
    .Pa $XDG_CACHE_HOME/imagemill .
    .It Ev HOME
    If both are unset, the cache is
    .Pa $HOME/.cache/imagemill .
    .It Ev TMPDIR
    The directory for temporary files (default:
    .Pa /tmp ) .

    """

  private static let proxyVariables = """
    .It Ev http_proxy , https_proxy , all_proxy , no_proxy
    Proxies, and the hosts to reach without a proxy, as in
    .Xr curl 1 .

    """

  private static let certificateVariables = """
    .It Ev SSL_CERT_FILE , SSL_CERT_DIR
    A file and a directory of certificate authorities.
    They are used only if libcurl was built with OpenSSL's default paths; Debian's was not.

    """

  private static let storageVariables = """
    .It Ev AWS_*
    Credentials, region and server of S3 URLs; see
    .Xr imagemill-s3 7 .

    """

  private static let libraryVariables = """
    .It Ev FONTCONFIG_FILE , FONTCONFIG_PATH , FONTCONFIG_SYSROOT , XDG_DATA_HOME , XDG_DATA_DIRS
    Fonts and their configuration, as in
    .Xr fonts-conf 5 .
    .It Ev LD_LIBRARY_PATH
    Directories of libraries, as in
    .Xr ld.so 8 .
    Worker processes may read all files in them.

    """

  private static let terminalVariables = """
    .It Ev NO_COLOR
    If not empty, disables color on the terminal.
    .It Ev COLUMNS
    The width at which help is wrapped, in columns (default: the terminal's).
    .It Ev TERM
    If
    .Ql dumb
    or unset, progress is printed as plain lines.
    .It Ev LC_ALL , LC_CTYPE , LANG
    If the first of these that is set names a locale without UTF-8, the progress display is drawn in ASCII.
    .It Ev GITHUB_ACTIONS , GITHUB_STEP_SUMMARY
    In a GitHub workflow, failures become annotations at the manifest's line, and a summary is added to the step.

    """

  /// FILES of a command; empty if it uses none.
  static func files(of command: String) -> String {
    let readsManifest = ["run", "plan", "validate", "config"].contains(command)
    let usesCache = command != "ls" && downloading.contains(command) || ["cache", "doctor"].contains(command)
    if !readsManifest && !usesCache && command != "ls" { return "" }
    var section = ".Sh FILES\n.Bl -tag -width Ds\n"
    if readsManifest { section += manifestFiles }
    section += settingFiles
    if usesCache { section += cacheFiles }
    // A plan sends no request to a source.
    if downloading.contains(command), command != "plan" { section += credentialFiles }
    if downloading.contains(command) { section += profileFiles }
    return section + ".El\n"
  }

  /// FILES of all commands.
  static var files: String {
    ".Sh FILES\n.Bl -tag -width Ds\n" + manifestFiles + settingFiles + cacheFiles + credentialFiles
      + profileFiles + ".El\n"
  }

  private static let settingFiles = """
    .It Pa ~/.config/imagemill/config.toml
    User settings in TOML, such as
    .Ql per-host = 2
    or
    .Ql offline = true .
    .Ql ~
    is not expanded, and relative paths are relative to the current directory: write absolute paths.

    """

  private static let credentialFiles = """
    .It Pa ~/.netrc
    Credentials, with
    .Fl \\-netrc .
    After a redirect to another host, the entry of that host is used, but not
    .Ql default .

    """

  private static let profileFiles = """
    .It Pa ~/.aws/credentials , ~/.aws/config
    Profiles; see
    .Xr imagemill-s3 7 .

    """

  private static let manifestFiles = """
    .It Pa imagemill.yaml , imagemill.yml , imagemill.toml , imagemill.json
    The default manifest: the first of these files that exists in the current directory.

    """

  private static let cacheFiles = """
    .It Pa ~/.cache/imagemill
    The cache: an SQLite index, and objects named by the SHA-256 of their content.
    To empty it, use
    .Cm imagemill cache clear ,
    which keeps the record of written files.

    """
}
