public import WebValues

/// The hosts and addresses that requests may reach. Default: the public Internet only.
///
/// Addresses are checked at connection time, after DNS resolution, so that a name can't change its address
/// between the check and the connection.
public struct AddressPolicy: Hashable, Sendable {
  /// Networks allowed in addition to the public Internet.
  public var allowedNetworks: [IPNetwork] = []
  /// Whether to allow private networks, except for cloud metadata services.
  public var allowsPrivateNetworks = false
  /// Whether to allow every address, metadata services included. ``deniedHosts`` still apply.
  public var allowsEverything = false
  /// Host name patterns, one of which must match; `*` matches any text, `?` one character. Default: any host.
  public var allowedHosts: [String] = []
  /// Host name patterns, none of which may match; they override everything else.
  public var deniedHosts: [String] = []
  /// Hosts that the user typed, for which every address is allowed.
  public var typedHosts: Set<String> = []

  /// Creates a policy that allows the public Internet only.
  public init() {}

  /// Allows the networks that a word names, in addition to those allowed already.
  /// - Parameter word: A CIDR block or an address, `loopback`, `private` or `all`, in any letter case.
  /// - Returns: Whether the word is one of these.
  public mutating func allow(_ word: some StringProtocol) -> Bool {
    switch word.lowercased() {
    case "all": allowsEverything = true
    case "loopback": allowedNetworks += Self.loopback
    case "private": allowsPrivateNetworks = true
    default:
      guard let network = IPNetwork(word) else { return false }
      allowedNetworks.append(network)
    }
    return true
  }

  /// Whether a request may connect to an address. Host name patterns aren't checked, except denied ones that
  /// are this address.
  /// - Parameters:
  ///   - address: The address, after DNS resolution. An IPv4 address embedded in an IPv6 address is checked
  ///     too.
  ///   - host: The host of the URL, in lower case, which is looked up in ``typedHosts``.
  public func allows(_ address: IPAddress, for host: String) -> Bool {
    let inner = address.unwrapped
    guard deniedPattern(of: inner) == nil else { return false }
    if allowsEverything || typedHosts.contains(host) { return true }
    func isIn(_ networks: [IPNetwork]) -> Bool {
      networks.contains { $0.contains(address) || $0.contains(inner) }
    }
    if isIn(allowedNetworks) { return true }
    if isIn(Self.metadataServices) { return false }
    if allowsPrivateNetworks, isIn(Self.privateNetworks) { return true }
    return !isIn(Self.special)
  }

  /// The pattern in ``deniedHosts`` that is this address in any notation.
  private func deniedPattern(of address: IPAddress) -> String? {
    deniedHosts.first { IPAddress(host: $0)?.unwrapped == address }
  }

  /// The names to match patterns against: for an address also its usual notation, so that `http://1572395042/` doesn't
  /// evade a pattern.
  private static func names(of host: String) -> [String] {
    let name = host.hasSuffix(".") ? String(host.dropLast()) : host
    guard let address = IPAddress(host: host) else { return [name] }
    return [name, address.description, address.unwrapped.description]
  }

  /// The reason to refuse a host by its name or literal address; nil if it is allowed. A name's addresses are checked
  /// after resolution; behind a proxy they aren't, because the proxy resolves the name.
  func refusal(ofHost host: String) -> Refusal? {
    let names = Self.names(of: host)
    func matches(_ pattern: String) -> Bool {
      names.contains { Glob.matches(pattern.lowercased(), $0) }
    }
    if let pattern = deniedHosts.first(where: matches) {
      return Refusal(
        message: "the host '\(host)' is denied by '\(pattern)'", reason: .deniedHost(pattern: pattern))
    }
    if !allowedHosts.isEmpty, !allowedHosts.contains(where: matches) {
      return Refusal(
        message: "the host '\(host)' matches none of the allowed hosts", reason: .unlistedHost(host))
    }
    if let address = IPAddress(host: host), !allows(address, for: host) { return refusal(of: address) }
    return nil
  }

  func refusal(of address: IPAddress) -> Refusal {
    let inner = address.unwrapped
    if let pattern = deniedPattern(of: inner) {
      return Refusal(
        message: "the address \(address) is denied by '\(pattern)'", reason: .deniedHost(pattern: pattern))
    }
    if Self.metadataServices.contains(where: { $0.contains(inner) }) {
      return Refusal(
        message: "the address \(address) is a cloud metadata service",
        reason: .metadataService(address: "\(inner)"))
    }
    if Self.loopback.contains(where: { $0.contains(inner) }) {
      return Refusal(
        message: "the address \(address) is a loopback address", reason: .loopback(address: "\(inner)"))
    }
    if Self.privateNetworks.contains(where: { $0.contains(inner) }) {
      return Refusal(
        message: "the address \(address) is in a private network",
        reason: .privateNetwork(address: "\(inner)"))
    }
    return Refusal(
      message: "the address \(address) is not public", reason: .specialAddress(address: "\(address)"))
  }

  private static func networks(_ texts: String...) -> [IPNetwork] { texts.compactMap { IPNetwork($0) } }

  private static let loopback = networks("127.0.0.0/8", "::1/128")
  private static let privateNetworks = networks(
    "10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "100.64.0.0/10", "fc00::/7")
  /// Metadata services, which hand out credentials: AWS (EC2, ECS, EKS), Google, Azure, Alibaba, Oracle.
  private static let metadataServices = networks(
    "169.254.169.254", "169.254.170.2", "169.254.170.23", "fd00:ec2::/32", "fd20:ce::254", "168.63.129.16",
    "100.100.100.200", "192.0.0.192")
  /// Addresses outside the public Internet, from IANA's special-purpose registries.
  private static let special =
    loopback + privateNetworks
    + networks(
      "0.0.0.0/8", "169.254.0.0/16", "192.0.0.0/24", "192.0.2.0/24", "192.88.99.0/24", "198.18.0.0/15",
      "198.51.100.0/24", "203.0.113.0/24", "224.0.0.0/3", "::/128", "::ffff:0:0:0/96", "64:ff9b:1::/48",
      "100::/64", "100:0:0:1::/64", "2001::/23",
      "2001:db8::/32", "3fff::/20", "5f00::/16", "fe80::/10", "fec0::/10", "ff00::/8")
}

/// Patterns in which `*` matches any text, including none, and `?` one character.
enum Glob {
  static func matches(_ pattern: String, _ text: String) -> Bool {
    let pattern = Array(pattern.unicodeScalars)
    let text = Array(text.unicodeScalars)
    var (p, t) = (0, 0)
    var star: (pattern: Int, text: Int)?
    while t < text.count {
      if p < pattern.count, pattern[p] == "?" || pattern[p] == text[t] {
        (p, t) = (p + 1, t + 1)
      } else if p < pattern.count, pattern[p] == "*" {
        star = (p, t)
        p += 1
      } else if let last = star {
        // Backtrack: the last star matches one character more.
        (p, t) = (last.pattern + 1, last.text + 1)
        star = (last.pattern, last.text + 1)
      } else {
        return false
      }
    }
    return pattern[p...].allSatisfy { $0 == "*" }
  }
}
