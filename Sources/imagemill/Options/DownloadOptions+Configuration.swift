import ArgumentParser
import Curl
import Foundation
import ImageCaches
import ImageDownloads
import SystemIO

extension DownloadOptions {
  /// The downloader's configuration.
  /// - Parameter typedHosts: The hosts of sources that were typed as arguments.
  /// - Throws: `CommandError` for a value that is out of range or malformed.
  func configuration(
    cache: CacheSettings, origins: [String: OriginSettings] = [:], typedHosts: [String] = []
  ) throws -> ImageDownloader.Configuration {
    var configuration = ImageDownloader.Configuration()
    configuration.activeDownloads = downloads
    configuration.activeDownloadsPerHost = perHost
    configuration.order = order == .fifo ? .fifo : .lifo
    configuration.rate = rate
    configuration.bytesPerSecond = limitRate?.bytes
    configuration.timeout = timeout.duration
    configuration.connectTimeout = connectTimeout.duration
    configuration.stallTimeout = stallTimeout.duration
    configuration.retries = retries
    configuration.retryWait = retryWait.duration
    configuration.origins = origins
    try addHeaders(to: &configuration)
    configuration.credential = user.map { OriginSettings.Credential($0) }
    configuration.netrc = try netrcEntries()
    configuration.proxies = proxies
    configuration.certificateAuthorities = cacert.map { URL(filePath: $0) }
    configuration.acceptsAnyCertificate = insecure
    configuration.redirects = maxRedirects
    configuration.byteLimit = maxBytes.bytes
    configuration.objectStores = objectStorage.stores
    configuration.cacheMode = cache.mode
    configuration.refusesHostsOffline = cache.plansRequests
    configuration.staleIfError = cache.staleIfError
    configuration.addressPolicy = try addressPolicy(typedHosts: typedHosts)
    return configuration
  }

  /// The proxies of `--proxy` or the environment.
  var proxies: ProxySettings {
    proxy.map { ProxySettings(proxy: $0) } ?? ProxySettings(environment: ProcessInfo.processInfo.environment)
  }

  /// Checks every value by itself.
  /// - Throws: `ValidationError` for a value that is out of range or malformed.
  func check() throws {
    for (name, value) in [("--downloads", downloads), ("--per-host", perHost)] where value < 1 {
      throw ValidationError("\(name) must be 1 or more, not \(value)")
    }
    for (name, value) in [("--retries", retries), ("--max-redirects", maxRedirects)] where value < 0 {
      throw ValidationError("\(name) must be 0 or more, not \(value)")
    }
    for (name, value) in [
      ("--timeout", timeout), ("--connect-timeout", connectTimeout), ("--stall-timeout", stallTimeout),
    ] where value.duration <= .zero {
      throw ValidationError("\(name) must be more than 0")
    }
    for origin in headerOrigins where Self.origin(origin) == nil {
      throw ValidationError("--header-for takes an origin, such as https://example.com, not '\(origin)'")
    }
    // As a setting, it waits for commands with a header.
    if !headerOrigins.isEmpty, headers.isEmpty, Invocation.current.isTyped("header-for") {
      throw ValidationError("--header-for needs -H, the header to send")
    }
    if user?.isEmpty == true { throw ValidationError("--user needs a name: NAME or NAME:PASSWORD") }
    if let proxy, let scheme = proxy.firstRange(of: "://").map({ proxy[..<$0.lowerBound].lowercased() }),
      !Self.proxySchemes.contains(scheme)
    {
      throw ValidationError(
        "--proxy takes an http, https or SOCKS URL, such as http://proxy:3128, not '\(scheme):'")
    }
    if let limitRate, limitRate.bytes < 1 {
      throw ValidationError("--limit-rate must be 1 byte per second or more, not 0")
    }
    for (name, file) in [("--cacert", cacert), ("--netrc-file", netrcFile)] {
      guard let file, !File.exists(file) else { continue }
      throw ValidationError("\(name): there is no file '\(file)'")
    }
    try Self.validating {
      _ = try headerFields()
      _ = try addressPolicy(typedHosts: [])
    }
    if let rate, !(rate > 0) { throw ValidationError("--rate must be more than 0, not \(rate)") }
  }

  /// The schemes that libcurl knows for proxies.
  private static let proxySchemes: Set<String> = [
    "http", "https", "socks", "socks4", "socks4a", "socks5", "socks5h",
  ]

  /// The origin that a text names, normalized; nil if it isn't one.
  private static func origin(_ text: String) -> String? {
    guard let address = WebAddress(text), address.description == address.origin + "/" else { return nil }
    return address.origin
  }

  private func addHeaders(to configuration: inout ImageDownloader.Configuration) throws {
    let fields = try headerFields()
    if headerOrigins.isEmpty {
      configuration.headers = fields
    } else {
      for origin in headerOrigins.compactMap(Self.origin) {
        configuration.origins[origin, default: OriginSettings()].headers += fields
      }
    }
  }

  private func headerFields() throws -> [HeaderField] {
    try Self.fields(headers, example: "-H 'Accept: image/webp'")
  }

  /// Parses header fields.
  /// - Parameter example: An option or field for the message about a mistake.
  /// - Throws: `CommandError` for a text without a name or colon.
  static func fields(_ texts: [String], example: String) throws -> [HeaderField] {
    try texts.map { text in
      guard let colon = text.firstIndex(of: ":"), colon != text.startIndex else {
        throw CommandError(.usage, "a header must be 'NAME: VALUE', such as \(example)")
      }
      let value = text[text.index(after: colon)...].trimmingCharacters(in: .whitespaces)
      guard !text.unicodeScalars.contains(where: { $0.properties.generalCategory == .control && $0 != "\t" })
      else {
        throw CommandError(.usage, "a header can't contain line breaks or other control characters")
      }
      return HeaderField(String(text[..<colon]), value)
    }
  }

  private func netrcEntries() throws -> Netrc? {
    guard netrc || netrcFile != nil else { return nil }
    let home = ProcessInfo.processInfo.environment["HOME", default: ""]
    guard let path = netrcFile ?? (home.isEmpty ? nil : home + "/.netrc") else {
      throw CommandError(.usage, "no netrc file is known; set HOME, or use --netrc-file")
    }
    do throws(SystemError) {
      return Netrc(parsing: String(decoding: try File.contents(of: path, limit: 1 << 20), as: UTF8.self))
    } catch {
      throw CommandError(.usage, "can't read the netrc file \(path): \(error.text)")
    }
  }

  /// Whether a pattern can match a host's name or address: a URL, a path and an open bracket match nothing.
  private static func canMatchHost(_ glob: String) -> Bool {
    !glob.contains("/") && glob.count { $0 == "[" } == glob.count { $0 == "]" }
  }

  private func addressPolicy(typedHosts: [String]) throws -> AddressPolicy {
    var policy = AddressPolicy()
    for word in LimitOptions.words(allowNet) where !policy.allow(word) {
      throw CommandError(
        .usage,
        "--allow-net takes CIDRs such as 10.0.0.0/8, or "
          + Self.networkWords.joined(separator: ", ") + "; not '\(word)'")
    }
    for (name, globs) in [("--allow-host", allowHost), ("--deny-host", denyHost)] {
      for glob in LimitOptions.words(globs) where !Self.canMatchHost(glob) {
        throw CommandError(
          .usage, "\(name) takes a host, such as example.com or *.example.com, not '\(glob)'")
      }
    }
    policy.allowedHosts = LimitOptions.words(allowHost)
    policy.deniedHosts = LimitOptions.words(denyHost)
    policy.typedHosts = Set(typedHosts)
    return policy
  }
}
