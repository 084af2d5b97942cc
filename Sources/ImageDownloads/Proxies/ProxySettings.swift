import Curl

/// Which proxy a request goes through: one that was named, or those of the environment's `*_proxy` variables.
public struct ProxySettings: Sendable, Hashable {
  private var http: String?
  private var https: String?
  private var exceptions: [String]

  /// Every request goes through `proxy`, but for the hosts of `exceptions` (the form of `no_proxy`).
  public init(proxy: String, exceptions: String = "") {
    http = proxy
    https = proxy
    self.exceptions = Self.list(exceptions)
  }

  /// The environment's, as curl reads it: `http_proxy` in lower case only (a CGI program's `HTTP_PROXY` is set by
  /// its client), the others in either case.
  public init(environment: [String: String]) {
    func value(_ names: String...) -> String? {
      names.compactMap { environment[$0] }.first { !$0.isEmpty }
    }
    let all = value("all_proxy", "ALL_PROXY")
    http = value("http_proxy") ?? all
    https = value("https_proxy", "HTTPS_PROXY") ?? all
    exceptions = Self.list(value("no_proxy", "NO_PROXY") ?? "")
  }

  /// The proxy for an address; nil where it is asked directly.
  func proxy(for address: WebAddress) -> String? {
    guard let proxy = address.scheme == "https" ? https : http else { return nil }
    return exceptions.contains { Self.excepts($0, address) } ? nil : proxy
  }

  private static func list(_ text: String) -> [String] {
    text.split { $0 == "," || $0 == " " }.map { $0.lowercased() }
  }

  /// `*`, a CIDR or address, or a domain that is the host or one above it, with or without a dot before it and a port behind it.
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
