import ImageDownloads

/// The networks outside the public Internet, for imagemill(1).
enum NetworkSection {
  static let text =
    #"""
    .Ss Networks
    By default, requests for sources and outputs go only to public addresses; see
    .Sx SECURITY CONSIDERATIONS
    for the exceptions.
    .Fl \-allow-net
    allows other networks: a CIDR, or one of these words, which name groups of IANA's special-purpose addresses:
    .Bl -tag -width documentation
    """# + "\n"
    + SpecialNetwork.allCases.map { kind in
      ".It Cm \(ManualPage.text(kind.rawValue))\n"
        + ManualPage.text(kind.networks.map(\.description).joined(separator: ", ")) + "\n"
    }.joined()
      + #"""
      .It Cm all
      every address
      .El
      .Pp
      No word except
      .Cm all
      allows cloud metadata services, such as 169.254.169.254.
      An IPv4 address is refused in IPv6 forms too: IPv4-mapped, 6to4 and NAT64 (64:ff9b::/96).
      .Cm nat64
      allows an address only if the IPv4 address in its last 32 bits is allowed too.
      Network-specific NAT64 prefixes in 2000::/3 are not detected.
      .Cm reserved
      excludes the networks of the other words, and the blocks that IANA lists as globally reachable.

      """#
}
