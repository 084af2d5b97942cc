import ArgumentParser
import ImageDownloads

/// How sources are had.
struct DownloadOptions: ParsableArguments {
  @Option(name: [.short, .long], help: ArgumentHelp("Active downloads.", valueName: "n"))
  var downloads = 32

  @Option(help: ArgumentHelp("Active downloads from one host.", valueName: "n"))
  var perHost = 6

  @Option(help: ArgumentHelp("Which pending download goes first: fifo or lifo.", valueName: "order"))
  var order = OrderArgument.fifo

  @Option(help: ArgumentHelp("Requests per second to one host (default: no limit).", valueName: "n"))
  var rate: Double?

  @Option(help: ArgumentHelp("For one whole download.", valueName: "dur"))
  var timeout = DurationArgument(.seconds(60))

  @Option(help: ArgumentHelp("For connecting.", valueName: "dur"))
  var connectTimeout = DurationArgument(.seconds(10))

  @Option(help: ArgumentHelp("With no bytes received.", valueName: "dur"))
  var stallTimeout = DurationArgument(.seconds(20))

  @Option(help: ArgumentHelp("Tries after the first, on failures that may pass.", valueName: "n"))
  var retries = 3

  @Option(help: ArgumentHelp("First wait before a retry; it grows with jitter.", valueName: "dur"))
  var retryWait = DurationArgument(.milliseconds(500))

  @Option(
    name: [.customShort("H"), .customLong("header")],
    help: ArgumentHelp(
      "A request header, sent to each source's own origin. Repeatable.", valueName: "name: value"))
  var headers: [String] = []

  @Option(
    name: .customLong("header-for"),
    help: ArgumentHelp(
      "An origin that the headers are sent to, and to no other. Repeatable.", valueName: "origin"))
  var headerOrigins: [String] = []

  @Option(
    name: [.short, .long],
    help: ArgumentHelp(
      "Credentials; '-' reads them from the first line of standard input.", valueName: "name[:password]"))
  var user: String?

  @Flag(help: "Take credentials from ~/.netrc.")
  var netrc = false

  @Option(help: ArgumentHelp("Take credentials from this file.", valueName: "file"), completion: .file())
  var netrcFile: String?

  @Option(help: ArgumentHelp("A proxy (default: the *_proxy variables).", valueName: "url"))
  var proxy: String?

  @Option(help: ArgumentHelp("Certificate authorities to trust.", valueName: "file"), completion: .file())
  var cacert: String?

  @Flag(help: "Don't check certificates.")
  var insecure = false

  @Option(help: ArgumentHelp("Redirects to follow.", valueName: "n"))
  var maxRedirects = 10

  @Option(help: ArgumentHelp("Refuse a larger source.", valueName: "size"))
  var maxBytes = SizeArgument(256 << 20)

  @Option(
    help: ArgumentHelp(
      "Networks beyond the public ones: CIDRs, loopback, private (without clouds' metadata services), all.",
      valueName: "list"),
    completion: .list(["loopback", "private", "all"]))
  var allowNet: [String] = []

  @Option(
    help: ArgumentHelp("Hosts that may be reached, by name (default: all). Repeatable.", valueName: "glob"))
  var allowHost: [String] = []

  @Option(help: ArgumentHelp("Hosts that may not be reached, by name. Repeatable.", valueName: "glob"))
  var denyHost: [String] = []

  /// Credentials come from standard input's first line, where no other process can see them, before anything else is
  /// read from there.
  mutating func validate() throws {
    if user == "-" { user = StandardInput.firstLine() }
  }
}

/// `fifo` or `lifo`.
enum OrderArgument: String, ExpressibleByArgument, CaseIterable {
  case fifo, lifo
}

/// The disk cache.
struct CacheOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The cache's directory (default: $IMAGEMILL_CACHE_DIR, else ~/.cache/imagemill).", valueName: "dir"),
    completion: .directory)
  var cacheDir: String?

  @Option(help: ArgumentHelp("What the cache may take on disk.", valueName: "size"))
  var cacheSize = SizeArgument(CacheSettings().capacity)

  @Flag(help: "Use and keep nothing from run to run.")
  var noCache = false

  @Flag(help: "Revalidate every stored answer.")
  var refresh = false

  @Flag(help: "Use only what is stored.")
  var offline = false

  @Option(
    help: ArgumentHelp(
      "Use a stored answer for this long after it became stale when its origin fails.",
      valueName: "dur"))
  var staleIfError = DurationArgument(.zero)

  /// What is asked of the cache.
  var settings: CacheSettings {
    var settings = CacheSettings()
    settings.directory = cacheDir
    settings.capacity = cacheSize.bytes
    settings.mode = offline ? .offline : refresh ? .refresh : noCache ? .none : .standard
    settings.isEphemeral = noCache
    settings.staleIfError = staleIfError.duration
    return settings
  }
}
