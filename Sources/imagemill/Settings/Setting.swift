import Manifests

/// An option that configures a run. It can also be set by a variable of the environment, in a manifest's `settings` and
/// in the configuration file.
struct Setting: Sendable, Hashable {
  /// The option's long name without its hyphens, which is also the key in files.
  let name: String
  let scope: Scope

  /// Who may set it.
  enum Scope: Sendable, Hashable {
    /// Anyone.
    case manifest
    /// A user, but no manifest: it grants access, holds a credential, names files of the machine, decides which files are
    /// kept, or belongs to the terminal.
    case user
    /// A user; a manifest has a key for it.
    case key(String)
  }

  /// The variable of the environment: `IMAGEMILL_PER_HOST` for `per-host`.
  var variable: String { Self.variable(of: name) }

  /// The variable of a setting by its name.
  static func variable(of name: String) -> String {
    "IMAGEMILL_" + name.uppercased().replacing("-", with: "_")
  }

  /// All settings. What a single command is asked to do, such as `--check`, isn't one.
  static let all: [Setting] =
    ["format", "quality", "metadata", "profile", "background", "frames", "orient", "min-savings"].map {
      Setting(name: $0, scope: .key("defaults"))
    } + [Setting(name: "max-output-bytes", scope: .key("max-bytes' of 'defaults"))]
    + [
      "jobs", "job-timeout", "memory", "fail-fast", "max-failures", "cache-intermediates", "durability",
      "placeholders", "downloads", "per-host", "order", "rate", "limit-rate", "timeout",
      "connect-timeout", "stall-timeout",
      "retries", "retry-wait", "max-redirects", "deny-host", "max-bytes", "max-pixels", "max-frames",
      "accept-type", "on-corrupt", "refresh", "offline", "stale-if-error",
    ].map { Setting(name: $0, scope: .manifest) }
    + [Setting(name: "output-dir", scope: .key("output-dir"))]
    + [
      "allow-outside", "env", "header", "header-for", "user", "netrc", "netrc-file", "proxy", "cacert",
      "insecure",
      "allow-net", "allow-host", "allow-format", "sandbox", "cache-dir", "cache-size", "no-cache",
      "remote-cache", "remote-cache-mode", "remote-cache-header", "remote-timeout",
      "s3-endpoint", "s3-addressing", "s3-credentials", "s3-header",
      "no-clobber",
      "report",
      "events", "metrics", "progress", "quiet", "verbose",
    ].map { Setting(name: $0, scope: .user) }

  /// Switches that exclude each other. One of them on the command line, or in a place of higher precedence, goes before the
  /// other.
  static let rivals = ["quiet": "verbose", "verbose": "quiet"]

  /// The same for the readers of manifests and of the configuration file.
  static let known: KnownSettings = {
    var known = KnownSettings()
    known.names = all.map(\.name)
    for setting in all {
      switch setting.scope {
      case .manifest: continue
      case .user:
        known.userOnly[setting.name] = "on the command line, as \(setting.variable) or in config.toml"
      case .key(let key): known.keys[setting.name] = key
      }
    }
    known.problem = { Invocation.problem($0) }
    return known
  }()
}
