import ArgumentParser
import ImageDownloads
import Synchronization
import SystemIO

/// Options for downloads.
struct DownloadOptions: ParsableArguments {
  @Option(name: [.short, .long], help: ArgumentHelp("Maximum concurrent downloads.", valueName: "n"))
  var downloads = 32

  @Option(help: ArgumentHelp("Maximum concurrent downloads per host.", valueName: "n"))
  var perHost = 6

  @Option(help: ArgumentHelp("Order of pending downloads.", valueName: "fifo|lifo"))
  var order = OrderArgument.fifo

  @Option(help: ArgumentHelp("Maximum requests per second per host (default: unlimited).", valueName: "n"))
  var rate: Double?

  @Option(
    help: ArgumentHelp(
      "Maximum bytes per second per host, for all its downloads together, such as 500k (default: unlimited).",
      valueName: "size"))
  var limitRate: SizeArgument?

  @Option(help: ArgumentHelp("Time limit for one download.", valueName: "dur"))
  var timeout = DurationArgument(.seconds(60))

  @Option(help: ArgumentHelp("Time limit for connecting.", valueName: "dur"))
  var connectTimeout = DurationArgument(.seconds(10))

  @Option(help: ArgumentHelp("Abort a download if no data arrives for this long.", valueName: "dur"))
  var stallTimeout = DurationArgument(.seconds(20))

  @Option(help: ArgumentHelp("Retries after a temporary failure.", valueName: "n"))
  var retries = 3

  @Option(
    help: ArgumentHelp(
      "Maximum wait before the first retry; waits are random, and later ones are longer.", valueName: "dur"))
  var retryWait = DurationArgument(.milliseconds(500))

  @Option(
    name: [.customShort("H"), .customLong("header")],
    help: ArgumentHelp(
      "Request header for the origin of each source. Repeatable.",
      valueName: "name: value"))
  var headers: [String] = []

  @Option(
    name: .customLong("header-for"),
    help: ArgumentHelp(
      "Send the -H headers only to this origin. Repeatable.", valueName: "origin"))
  var headerOrigins: [String] = []

  @Option(
    name: [.short, .long],
    help: ArgumentHelp(
      "Credentials for the origin of each source; '-' reads them from the first line of standard input.",
      valueName: "name[:password]"))
  var user: String?

  @Flag(help: "Read credentials from ~/.netrc.")
  var netrc = false

  @Option(
    help: ArgumentHelp("Read credentials from this netrc file.", valueName: "file"), completion: .file())
  var netrcFile: String?

  @Option(help: ArgumentHelp("Proxy (default: from the *_proxy environment variables).", valueName: "url"))
  var proxy: String?

  @Option(
    help: ArgumentHelp("Trust the certificate authorities in this file.", valueName: "file"),
    completion: .file())
  var cacert: String?

  @Flag(help: "Don't verify TLS certificates.")
  var insecure = false

  @Option(help: ArgumentHelp("Maximum number of redirects to follow.", valueName: "n"))
  var maxRedirects = 10

  @Option(help: ArgumentHelp("Refuse sources larger than this.", valueName: "size"))
  var maxBytes = SizeArgument(256 << 20)

  @Option(
    help: ArgumentHelp(
      "Also allow these networks: CIDRs, or names such as loopback, private or all; see imagemill(1).",
      valueName: "list"),
    completion: .list(Self.networkWords))
  var allowNet: [String] = []

  @Option(
    help: ArgumentHelp("Allow only hosts that match (default: all). Repeatable.", valueName: "glob"))
  var allowHost: [String] = []

  @Option(help: ArgumentHelp("Refuse hosts that match. Repeatable.", valueName: "glob"))
  var denyHost: [String] = []

  @OptionGroup var objectStorage: ObjectStorageOptions

  /// The words that `--allow-net` takes besides networks.
  static let networkWords = SpecialNetwork.allCases.map(\.rawValue) + ["all"]

  /// Reads credentials before anything else reads from standard input. Arguments are visible to other processes;
  /// standard input isn't.
  mutating func validate() throws {
    try check()
    guard user == "-" else { return }
    let read = Self.lineWithUser.withLock { line in
      let read =
        line
        ?? Result { () throws(SystemError) in
          StandardInput.announce("the user name", key: "Enter")
          return try StandardInput.firstLine()
        }
      line = read
      return read
    }
    do throws(SystemError) {
      user = try read.get()
    } catch {
      // With an empty name, requests would go out that the user didn't mean.
      throw ValidationError("can't read the user's name from standard input: \(error.text)")
    }
    if user?.isEmpty != false {
      throw ValidationError("-u -: the first line of standard input has no user name")
    }
  }

  /// The first line of standard input, which is read once: a manifest with settings has the command line parsed again.
  private static let lineWithUser = Mutex<Result<String, SystemError>?>(nil)
}

enum OrderArgument: String, ExpressibleByArgument, CaseIterable {
  case fifo, lifo
}

/// Options that locate the disk cache and bound it.
struct CacheLocation: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Cache directory (default: $IMAGEMILL_CACHE_DIR, else ~/.cache/imagemill).", valueName: "dir"),
    completion: .directory)
  var cacheDir: String?

  @Option(
    help: ArgumentHelp(
      "Raise the cache's size limit for this run; lower values have no effect, except for a new cache (default: the "
        + "cache's limit).",
      valueName: "size"))
  var cacheSize: SizeArgument?

  func validate() throws { try cacheSize?.checkCacheSize("--cache-size") }

  /// The cache settings, with the defaults of the rest.
  var settings: CacheSettings { CacheSettings(directory: cacheDir, capacity: cacheSize?.bytes) }
}

/// The disk cache, and how its responses are used.
struct CacheOptions: ParsableArguments {
  @OptionGroup var location: CacheLocation

  @Flag(help: "Neither read nor write the cache.")
  var noCache = false

  @Flag(help: "Revalidate every cached response.")
  var refresh = false

  @Flag(help: "Use cached responses only; send no request.")
  var offline = false

  @Option(
    help: ArgumentHelp(
      "If an origin fails, serve a cached response up to this long past its expiry.",
      valueName: "dur"))
  var staleIfError = DurationArgument(.zero)

  func validate() throws {
    if offline && noCache { throw ValidationError("--offline reads the cache; leave out --no-cache") }
  }

  /// The settings that the options describe.
  var settings: CacheSettings {
    var settings = location.settings
    settings.mode = offline ? .offline : refresh ? .refresh : noCache ? .none : .standard
    settings.isEphemeral = noCache
    settings.staleIfError = staleIfError.duration
    return settings
  }
}
