import ArgumentParser
import FoundationEssentials
import ImageBatch
import ImageDownloads
import ObjectStorage
import SystemIO
import WebValues

/// Options for a cache of outputs on another machine.
struct RemoteCacheOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Share rendered outputs through this HTTP server or bucket (https://host/path or s3://bucket/prefix): ac/KEY and "
        + "cas/SHA256 are appended. An output that the server has isn't rendered.", valueName: "url"))
  var remoteCache: String?

  @Option(
    help: ArgumentHelp(
      "read only looks up outputs; read-write also uploads rendered ones.", valueName: "read|read-write"))
  var remoteCacheMode = RemoteCacheModeArgument.readWrite

  @Option(
    help: ArgumentHelp(
      "Header of the requests to --remote-cache, such as 'Authorization: Bearer …', or 'x-amz-…' for a bucket. "
        + "Repeatable.",
      valueName: "name: value"))
  var remoteCacheHeader: [String] = []

  @Option(
    help: ArgumentHelp(
      "Time limit for each --remote-cache request, for the total time that lookups delay a run, and for uploads pending "
        + "at its end.", valueName: "dur"))
  var remoteTimeout = DurationArgument(.seconds(10))

  func validate() throws {
    if remoteCache == nil {
      if !remoteCacheHeader.isEmpty {
        throw ValidationError("--remote-cache-header needs --remote-cache URL")
      }
      // As settings they may wait for a command line with --remote-cache.
      for name in ["remote-cache-mode", "remote-timeout"] where Invocation.current.isTyped(name) {
        throw ValidationError("--\(name) needs --remote-cache URL")
      }
    }
    if remoteTimeout.duration <= .zero { throw ValidationError("--remote-timeout must be more than 0") }
    try Self.validating {
      if let remoteCache { _ = try address(remoteCache) }
      _ = try fields()
    }
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
    let address = try address(remoteCache)
    guard try isUsed(with: cache) else { return nil }
    switch address {
    case .web(let url): return configuration(.web(url), url, try fields(), downloads)
    case .bucket(let prefix): return try objects(below: prefix, downloads)
    }
  }

  /// The value of `--remote-cache`, parsed.
  private enum Address {
    case web(WebAddress)
    case bucket(ObjectAddress)
  }

  /// - Throws: `CommandError` for an address that can't be used.
  private func address(_ text: String) throws -> Address {
    if ObjectAddress.isAddress(text) { return .bucket(try bucket(text)) }
    guard let reference = URLReference(parsing: text), let url = WebAddress(text),
      reference.query == nil, reference.fragment == nil
    else {
      throw CommandError(
        .usage,
        "--remote-cache takes an https or http URL without a query, such as https://cache.example/images, or "
          + "s3://bucket/prefix")
    }
    guard reference.authority?.contains("@") != true else {
      throw CommandError(
        .usage,
        "--remote-cache can't have a user name or password, which other processes could see; set a header in "
          + "IMAGEMILL_REMOTE_CACHE_HEADER, such as 'Authorization: Basic …'")
    }
    return .web(url)
  }

  private func bucket(_ text: String) throws -> ObjectAddress {
    let prefix: ObjectAddress
    do throws(ObjectAddress.Mistake) {
      prefix = try ObjectAddress(parsingPrefix: text)
    } catch {
      throw CommandError(.usage, "--remote-cache: \(error.message)")
    }
    // The longest path below it is that of bytes.
    guard prefix.key.utf8.count + "/cas/".utf8.count + 64 <= ObjectAddress.longestKey else {
      throw CommandError(
        .usage,
        "--remote-cache: the prefix has \(prefix.key.utf8.count) bytes, too many for the keys below it")
    }
    guard try fields().first("Authorization") == nil else {
      throw CommandError(
        .usage, "--remote-cache s3://… is signed with AWS credentials; leave out the header 'Authorization'")
    }
    return prefix
  }

  private func fields() throws -> [HeaderField] {
    let isBucket = remoteCache.map(ObjectAddress.isAddress) == true
    return try DownloadOptions.fields(
      remoteCacheHeader, example: isBucket ? "'x-amz-request-payer: requester'" : "'Authorization: Bearer …'")
  }

  /// Whether requests may be sent.
  private func isUsed(with cache: CacheSettings) throws -> Bool {
    if cache.isEphemeral {
      throw CommandError(.usage, "--remote-cache fills the cache; leave out --no-cache")
    }
    return cache.mode != .offline
  }

  private func objects(
    below prefix: ObjectAddress, _ downloads: DownloadOptions
  ) throws -> RemoteCacheConfiguration {
    let service: ObjectService
    do throws(ObjectStorageFailure) {
      service = try downloads.objectStorage.stores.service()
    } catch {
      throw CommandError(.usage, "--remote-cache: \(error.message)")
    }
    if !service.isSigned, remoteCacheMode == .readWrite {
      throw CommandError(
        .usage,
        "--remote-cache: no AWS credentials are set, and uploads to a bucket need them; set AWS_ACCESS_KEY_ID and "
          + "AWS_SECRET_ACCESS_KEY, or AWS_PROFILE, or use --remote-cache-mode read")
    }
    let location = RemoteCacheConfiguration.Location.bucket(prefix, service)
    guard let url = RemoteCacheConfiguration(location).url(for: "ac/").flatMap({ WebAddress($0) }) else {
      throw CommandError(.usage, "--remote-cache: the endpoint and the bucket make no valid URL")
    }
    return configuration(location, url, try fields(), downloads)
  }

  private func configuration(
    _ location: RemoteCacheConfiguration.Location, _ url: WebAddress, _ fields: [HeaderField],
    _ downloads: DownloadOptions
  ) -> RemoteCacheConfiguration {
    var configuration = RemoteCacheConfiguration(location)
    configuration.mode = remoteCacheMode.mode
    configuration.fields = fields
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
