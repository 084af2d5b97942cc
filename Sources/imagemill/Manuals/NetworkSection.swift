import ImageDownloads

/// The networks outside the public Internet, for imagemill(1).
enum NetworkSection {
  static let text =
    #"""
    .Ss Networks
    Without
    .Fl \-allow-net
    only addresses of the public Internet are connected to.
    The other addresses, from IANA's registries of special-purpose addresses, are allowed by their CIDRs or by these
    words:
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
      The words other than
      .Cm all
      never allow cloud metadata services, such as 169.254.169.254.
      An IPv4 address is refused in IPv6 forms too: IPv4-mapped, 6to4 and NAT64 (64:ff9b::/96).
      .Cm nat64
      allows the IPv4 addresses in the last 32 bits that are allowed themselves.
      A network's own NAT64 prefix in 2000::/3 can't be recognized.
      .Cm reserved
      does not contain the blocks inside its networks that IANA calls globally reachable.

      """#
}
