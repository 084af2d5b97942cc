import Curl

/// The proxies for requests: a single one, or those of the environment's `*_proxy` variables.
public struct ProxySettings: Sendable, Hashable {
  private var http: String?
  private var https: String?
  private var exceptions: [String]

  /// Uses one proxy for all requests.
  /// - Parameters:
  ///   - proxy: The proxy's URL, in libcurl's syntax (`CURLOPT_PROXY`).
  ///   - exceptions: The hosts to connect to directly, in the syntax of `no_proxy`. Default: none.
  public init(proxy: String, exceptions: String = "") {
    http = proxy
    https = proxy
    self.exceptions = Self.list(exceptions)
  }

  /// Reads the environment's variables as curl does: `http_proxy` only in lower case (a CGI program's client
  /// controls `HTTP_PROXY`), the others in either case.
  /// - Parameter environment: The environment variables. Empty values count as absent.
  public init(environment: [String: String]) {
    func value(_ names: String...) -> String? {
      names.compactMap { environment[$0] }.first { !$0.isEmpty }
    }
    let all = value("all_proxy", "ALL_PROXY")
    http = value("http_proxy") ?? all
    https = value("https_proxy", "HTTPS_PROXY") ?? all
    exceptions = Self.list(value("no_proxy", "NO_PROXY") ?? "")
  }

  /// The proxy for an address; nil for a direct connection.
  package func proxy(for address: WebAddress) -> String? {
    guard let proxy = address.scheme == "https" ? https : http else { return nil }
    return exceptions.contains { Self.excepts($0, address) } ? nil : proxy
  }

  private static func list(_ text: String) -> [String] {
    text.split { $0 == "," || $0 == " " }.map { $0.lowercased() }
  }

  /// Whether an exception matches: `*`, an address or CIDR block, or the host's name or parent domain, with an optional
  /// leading dot and port.
  private static func excepts(_ exception: String, _ address: WebAddress) -> Bool {
    if exception == "*" { return true }
    if let host = IPAddress(address.host) { return IPNetwork(exception)?.contains(host) ?? false }
    var domain = exception.hasPrefix(".") ? Substring(exception.dropFirst()) : Substring(exception)
    if let colon = domain.lastIndex(of: ":"), let port = Int(domain[domain.index(after: colon)...]) {
      guard port == address.port else { return false }
      domain = domain[..<colon]
    }
    return address.host == domain || address.host.hasSuffix(".\(domain)")
  }
}
