import ArgumentParser
import FoundationEssentials
import ImageBatch
import ImageDownloads
import SystemIO

/// Options for a cache of outputs on another machine.
struct RemoteCacheOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Share rendered outputs through this HTTP server: paths ac/KEY and cas/SHA256 are appended to the URL. An output that "
        + "the server has isn't rendered.", valueName: "url"))
  var remoteCache: String?

  @Option(
    help: ArgumentHelp(
      "read only looks up outputs; read-write also uploads rendered ones.", valueName: "read|read-write"))
  var remoteCacheMode = RemoteCacheModeArgument.readWrite

  @Option(
    help: ArgumentHelp(
      "Header of the requests to --remote-cache, such as 'Authorization: Bearer …'. Repeatable.",
      valueName: "name: value"))
  var remoteCacheHeader: [String] = []

  @Option(
    help: ArgumentHelp(
      "Time limit for each --remote-cache request, for the total time that lookups delay a run, and for uploads pending "
        + "at its end.", valueName: "dur"))
  var remoteTimeout = DurationArgument(.seconds(10))

  func validate() throws {
    if remoteCache == nil, !remoteCacheHeader.isEmpty {
      throw ValidationError("--remote-cache-header needs --remote-cache URL")
    }
    if remoteTimeout.duration <= .zero { throw ValidationError("--remote-timeout must be more than 0") }
  }

  /// The batch's remote cache; nil if there is none.
  /// - Parameters:
  ///   - downloads: The options that apply to every server.
  ///   - cache: The local cache.
  /// - Throws: `CommandError` for a URL or a header that can't be used.
  func configuration(
    _ downloads: DownloadOptions, _ cache: CacheSettings
  ) throws -> RemoteCacheConfiguration? {
    guard let remoteCache else { return nil }
    guard let reference = URLReference(parsing: remoteCache), let url = WebAddress(remoteCache),
      reference.query == nil, reference.fragment == nil
    else {
      throw CommandError(
        .usage,
        "--remote-cache takes an https or http URL without a query, such as https://cache.example/images")
    }
    guard reference.authority?.contains("@") != true else {
      throw CommandError(
        .usage,
        "--remote-cache can't have a user name or password, which other processes could see; set a header in "
          + "IMAGEMILL_REMOTE_CACHE_HEADER, such as 'Authorization: Basic …'")
    }
    if cache.isEphemeral {
      throw CommandError(.usage, "--remote-cache fills the cache; leave out --no-cache")
    }
    // No request is sent.
    guard cache.mode != .offline else { return nil }
    var configuration = RemoteCacheConfiguration(url: url)
    configuration.mode = remoteCacheMode.mode
    configuration.fields = try DownloadOptions.fields(remoteCacheHeader, example: "Authorization: Bearer …")
    configuration.timeout = remoteTimeout.duration
    configuration.proxy = downloads.proxies.proxy(for: url)
    configuration.certificateAuthorities = downloads.cacert
    configuration.acceptsAnyCertificate = downloads.insecure
    if let limit = OpenFileLimit.current {
      // A lookup has a connection and a file.
      configuration.connections = max(1, min(configuration.connections, limit.soft / 32))
    }
    return configuration
  }
}

enum RemoteCacheModeArgument: String, ExpressibleByArgument, CaseIterable {
  case read
  case readWrite = "read-write"

  var mode: RemoteCacheConfiguration.Mode { self == .read ? .read : .readWrite }
}
