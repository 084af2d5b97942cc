public import WebValues

/// The hosts and addresses that requests may reach. Default: the public Internet only.
///
/// Addresses are checked at connection time, after DNS resolution, so that a name can't change its address
/// between the check and the connection.
public struct AddressPolicy: Hashable, Sendable {
  /// Networks allowed in addition to the public Internet.
  public var allowedNetworks: [IPNetwork] = []
  /// The kinds of networks that are allowed in addition to the public Internet, except for cloud metadata services.
  public var allowedKinds: Set<SpecialNetwork> = []
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
  /// - Parameter word: A CIDR block or an address, the raw value of a ``SpecialNetwork`` such as `private`, or `all`, in any
  ///   letter case.
  /// - Returns: Whether the word is one of these.
  public mutating func allow(_ word: some StringProtocol) -> Bool {
    let name = word.lowercased()
    if name == "all" {
      allowsEverything = true
    } else if let kind = SpecialNetwork(rawValue: name) {
      allowedKinds.insert(kind)
    } else if let network = IPNetwork(word) {
      allowedNetworks.append(network)
    } else {
      return false
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
    let end = SpecialNetwork.end(of: address)
    guard deniedPattern(of: end) == nil else { return false }
    if allowsEverything || typedHosts.contains(host) { return true }
    if allowedNetworks.contains(where: { $0.contains(address) || $0.contains(address.unwrapped) }) {
      return true
    }
    if Self.isMetadataService(address) { return false }
    return SpecialNetwork.kinds(of: address).isSubset(of: allowedKinds)
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
    let end = SpecialNetwork.end(of: address)
    if let pattern = deniedPattern(of: end) {
      return Refusal(
        message: "the address \(address) is denied by '\(pattern)'", reason: .deniedHost(pattern: pattern))
    }
    if Self.isMetadataService(address) {
      return Refusal(
        message: "the address \(address) is a cloud metadata service",
        reason: .metadataService(address: "\(address.unwrapped)"))
    }
    let kinds = SpecialNetwork.kinds(of: address).subtracting(allowedKinds)
    // An address of `nat64` may have another kind too, that of its end.
    let kind: SpecialNetwork = kinds.contains(.nat64) ? .nat64 : kinds.first ?? .reserved
    return Refusal(
      message: "the address \(address) is \(kind.phrase)",
      reason: .specialAddress(address: "\(address.unwrapped)", kind))
  }

  private static func isMetadataService(_ address: IPAddress) -> Bool {
    let end = SpecialNetwork.end(of: address)
    return metadataServices.contains { $0.contains(end) }
  }

  /// Metadata services, which hand out credentials: AWS (EC2, ECS, EKS), Google, Azure, Alibaba, Oracle.
  private static let metadataServices = [
    "169.254.169.254", "169.254.170.2", "169.254.170.23", "fd00:ec2::/32", "fd20:ce::254", "168.63.129.16",
    "100.100.100.200", "192.0.0.192",
  ].compactMap { IPNetwork($0) }
}

extension SpecialNetwork {
  /// What an address of this kind is, in a message.
  fileprivate var phrase: String {
    switch self {
    case .loopback: "a loopback address"
    case .privateUse: "in a private network"
    case .linkLocal: "a link-local address"
    case .siteLocal: "a site-local address"
    case .nat64: "a NAT64 address of a local network"
    case .benchmarking: "reserved for benchmarks"
    case .documentation: "reserved for documentation"
    case .reserved: "not public"
    }
  }
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
