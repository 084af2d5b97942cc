public import Curl

/// Which hosts and addresses may be reached: nothing but the public Internet unless more is allowed.
///
/// The decision on an address is made when it is connected to, after DNS, so that no name can point elsewhere by then.
public struct AddressPolicy: Hashable, Sendable {
  /// Networks beyond the public ones.
  public var allowedNetworks: [IPNetwork] = []
  /// Whether private networks may be reached, cloud machines' metadata services excepted.
  public var allowsPrivateNetworks = false
  /// Whether every address may be reached.
  public var allowsEverything = false
  /// Patterns of host names of which one must match, unless there are none; `*` stands for any text.
  public var allowedHosts: [String] = []
  /// Patterns of host names of which none may match.
  public var deniedHosts: [String] = []
  /// Hosts whose addresses, whatever they are, the user has asked for by typing them.
  public var typedHosts: Set<String> = []

  /// The public Internet only.
  public init() {}

  /// Adds what a word names: a CIDR, `loopback`, `private` or `all`.
  /// - Returns: whether the word is one of these.
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

  /// Whether an address may be connected to for a request to `host`.
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

  /// The pattern of ``deniedHosts`` that is this address in some notation, if there is one.
  private func deniedPattern(of address: IPAddress) -> String? {
    deniedHosts.first { IPAddress(host: $0)?.unwrapped == address }
  }

  /// The names of a host that patterns are held against: an address in the usual notation too, whatever it is written in.
  private static func names(of host: String) -> [String] {
    let name = host.hasSuffix(".") ? String(host.dropLast()) : host
    guard let address = IPAddress(host: host) else { return [name] }
    return [name, address.description, address.unwrapped.description]
  }

  /// Why a host is refused by its name or its literal address; nil if it is allowed. The addresses of a name are checked
  /// when it is resolved. Behind a proxy they are not: the proxy resolves the name.
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
        message: "the host '\(host)' is none of the allowed hosts", reason: .unlistedHost(host))
    }
    if let address = IPAddress(host: host), !allows(address, for: host) { return refusal(of: address) }
    return nil
  }

  /// Why an address was refused.
  func refusal(of address: IPAddress) -> Refusal {
    let inner = address.unwrapped
    if let pattern = deniedPattern(of: inner) {
      return Refusal(
        message: "the address \(address) is denied by '\(pattern)'", reason: .deniedHost(pattern: pattern))
    }
    if Self.metadataServices.contains(where: { $0.contains(inner) }) {
      return Refusal(
        message: "the address \(address) is a cloud's metadata service",
        reason: .metadataService(address: "\(inner)"))
    }
    if Self.loopback.contains(where: { $0.contains(inner) }) {
      return Refusal(
        message: "the address \(address) is this machine itself", reason: .loopback(address: "\(inner)"))
    }
    if Self.privateNetworks.contains(where: { $0.contains(inner) }) {
      return Refusal(
        message: "the address \(address) is in a private network",
        reason: .privateNetwork(address: "\(inner)"))
    }
    return Refusal(
      message: "the address \(address) is not a public one", reason: .specialAddress(address: "\(address)"))
  }

  private static func networks(_ texts: String...) -> [IPNetwork] { texts.compactMap { IPNetwork($0) } }

  private static let loopback = networks("127.0.0.0/8", "::1/128")
  private static let privateNetworks = networks(
    "10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "100.64.0.0/10", "fc00::/7")
  /// Where clouds answer their machines with credentials: AWS (EC2, ECS, EKS), Google, Azure, Alibaba, Oracle.
  private static let metadataServices = networks(
    "169.254.169.254", "169.254.170.2", "169.254.170.23", "fd00:ec2::/32", "fd20:ce::254", "168.63.129.16",
    "100.100.100.200", "192.0.0.192")
  /// IANA's special-purpose registries: what isn't the public Internet.
  private static let special =
    loopback + privateNetworks
    + networks(
      "0.0.0.0/8", "169.254.0.0/16", "192.0.0.0/24", "192.0.2.0/24", "198.18.0.0/15", "198.51.100.0/24",
      "203.0.113.0/24", "224.0.0.0/3", "::/128", "::ffff:0:0:0/96", "64:ff9b:1::/48", "100::/64", "2001::/23",
      "2001:db8::/32", "3fff::/20", "5f00::/16", "fe80::/10", "fec0::/10", "ff00::/8")
}

/// Patterns in which `*` stands for any text, none included, and `?` for one character.
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
        // The last star takes one character more.
        (p, t) = (last.pattern + 1, last.text + 1)
        star = (last.pattern, last.text + 1)
      } else {
        return false
      }
    }
    return pattern[p...].allSatisfy { $0 == "*" }
  }
}
