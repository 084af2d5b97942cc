public import ImageCaches

extension DownloadError {
  /// What stood in the way of a download, with the value that a setting would need: what a program makes its advice
  /// from. ``DownloadError/message`` says the same in words.
  public enum Reason: Hashable, Sendable, Codable {
    /// One of ``AddressPolicy/deniedHosts``.
    case deniedHost(pattern: String)
    /// The host matches none of ``AddressPolicy/allowedHosts``.
    case unlistedHost(String)
    /// The address of a cloud's metadata service, which gives credentials to whoever asks.
    case metadataService(address: String)
    /// An address of this machine itself.
    case loopback(address: String)
    /// An address in a private network.
    case privateNetwork(address: String)
    /// Another address that isn't on the public Internet.
    case specialAddress(address: String)
    /// An image in a format, by its name, that isn't read by default and wasn't asked for.
    case unreadFormat(String)
    /// The most bytes that a body may have.
    case byteLimit(Int)
    /// The most redirects that are followed.
    case redirectLimit(Int)
    /// The proxy's name has no address.
    case proxyName
    /// The server's certificate is signed by an authority that isn't trusted.
    case untrustedCertificate
    /// The file with the trusted authorities can't be read.
    case unreadableCertificates
    /// The disk store's failure.
    case cache(CacheError.Reason)
  }
}

extension AddressPolicy {
  /// Why a host or an address was refused.
  struct Refusal: Hashable {
    let message: String
    let reason: DownloadError.Reason

    func error(source: String) -> DownloadError {
      var error = DownloadError(.notAllowed, message, source: source)
      error.reason = reason
      return error
    }
  }
}
