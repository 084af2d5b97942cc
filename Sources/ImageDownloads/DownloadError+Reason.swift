public import ImageCaches

extension DownloadError {
  /// The cause of a failure, with the value for a setting that would avoid it, for programs that advise the user.
  public enum Reason: Hashable, Sendable, Codable {
    /// A pattern in ``AddressPolicy/deniedHosts`` matches the host or its address.
    case deniedHost(pattern: String)
    /// The host matches none of ``AddressPolicy/allowedHosts``.
    case unlistedHost(String)
    /// The address of a cloud metadata service, which hands out credentials.
    case metadataService(address: String)
    /// An address outside the public Internet, and the kind of its network.
    case specialAddress(address: String, SpecialNetwork)
    /// A format, by its name, that isn't read by default and isn't an accepted type.
    case unreadFormat(String)
    /// The maximum size of a body, in bytes.
    case byteLimit(Int)
    /// The maximum number of redirects for one source.
    case redirectLimit(Int)
    /// The proxy's name has no address, or its scheme isn't one of a proxy.
    case proxyName
    /// The server's certificate isn't signed by a trusted authority.
    case untrustedCertificate
    /// The file of trusted authorities can't be read.
    case unreadableCertificates
    /// There is no file with this path.
    case missingFile(String)
    /// The failure of the disk store.
    case cache(CacheError.Reason)
  }
}

extension AddressPolicy {
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
