import Glibc
package import ObjectStorage
import SystemIO
import WebValues

/// The server on or beside this machine that gives its credentials: of a container (ECS, EKS Pod Identity) or of an
/// instance (IMDSv2).
package struct CredentialEndpoint: Hashable, Sendable {
  enum Service: Hashable, Sendable {
    /// One request gives the credentials.
    case container(Authorization)
    /// A token, the role's name and the role's credentials, one after another.
    case instance
  }

  /// What a request to a container's server is authorized with.
  enum Authorization: Hashable, Sendable {
    case none
    case token(String)
    /// Read for each request, since it is replaced now and then.
    case file(String)
  }

  let service: Service
  /// For a container the whole URL, for an instance the beginning of all.
  let url: WebAddress

  /// Finds the server by AWS's variables.
  /// - Throws: `ObjectStorageFailure` if they name one that must not be asked.
  package init(environment: [String: String]) throws(ObjectStorageFailure) {
    func set(_ name: String) -> String? { environment[name].flatMap { $0.isEmpty ? nil : $0 } }
    if let path = set("AWS_CONTAINER_CREDENTIALS_RELATIVE_URI") {
      // A path without a slash would be a part of the host: `169.254.170.2@example.com`.
      guard path.hasPrefix("/"), let url = WebAddress("http://169.254.170.2" + path) else {
        throw ObjectStorageFailure(
          "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI must be a path, such as '/v2/credentials'")
      }
      self.url = url
      service = .container(try Self.authorization(environment))
    } else if let text = set("AWS_CONTAINER_CREDENTIALS_FULL_URI") {
      url = try Self.url(text, of: "AWS_CONTAINER_CREDENTIALS_FULL_URI")
      service = .container(try Self.authorization(environment))
    } else {
      guard set("AWS_EC2_METADATA_DISABLED")?.lowercased() != "true" else {
        throw ObjectStorageFailure(
          "credentials of the instance are asked for, but AWS_EC2_METADATA_DISABLED is true")
      }
      let name = "AWS_EC2_METADATA_SERVICE_ENDPOINT"
      let usual: String
      switch set(name + "_MODE")?.lowercased() {
      case nil, "ipv4": usual = "http://169.254.169.254"
      case "ipv6": usual = "http://[fd00:ec2::254]"
      case _?: throw ObjectStorageFailure("\(name)_MODE must be IPv4 or IPv6")
      }
      var text = set(name) ?? usual
      while text.hasSuffix("/") { text.removeLast() }
      url = try Self.url(text, of: name)
      service = .instance
    }
  }

  private static func authorization(
    _ environment: [String: String]
  ) throws(ObjectStorageFailure) -> Authorization {
    if let file = environment["AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE"], !file.isEmpty { return .file(file) }
    guard let token = environment["AWS_CONTAINER_AUTHORIZATION_TOKEN"], !token.isEmpty else { return .none }
    guard isOneLine(token) else {
      throw ObjectStorageFailure("AWS_CONTAINER_AUTHORIZATION_TOKEN must be one line")
    }
    return .token(token)
  }

  static func isOneLine(_ text: String) -> Bool { text.utf8.allSatisfy { $0 >= 32 && $0 != 127 } }

  /// A URL of a variable, if credentials may be asked for there.
  private static func url(
    _ text: String, of variable: String
  ) throws(ObjectStorageFailure) -> WebAddress {
    guard let url = WebAddress(text), url.credential == nil else {
      throw ObjectStorageFailure("\(variable) must be an http or https URL without user name and password")
    }
    guard url.scheme == "http", let address = IPAddress(host: url.host), !isLocal(address) else { return url }
    throw ObjectStorageFailure("\(variable): \(refusal(of: "\(address)"))")
  }

  /// Why an address is refused.
  static func refusal(of address: String) -> String {
    "credentials are asked for over plain http only on this machine, and at AWS's own addresses, not at \(address); use "
      + "https"
  }

  /// Whether a request may connect to an address. Over plain http, credentials would be read on the way, and a wrong
  /// server would be sent the authorization.
  func allows(_ address: IPAddress) -> Bool { url.scheme == "https" || Self.isLocal(address) }

  private static func isLocal(_ address: IPAddress) -> Bool {
    local.contains { $0.contains(address) || $0.contains(address.unwrapped) }
  }

  /// This machine, and the servers of EC2, ECS and EKS.
  private static let local = [
    "127.0.0.0/8", "::1", "169.254.169.254", "169.254.170.2", "169.254.170.23", "fd00:ec2::254",
    "fd00:ec2::23",
  ].compactMap { IPNetwork($0) }

  /// Whose credentials they are: the machine's or the container's, for which the URL stands. A cache directory may be
  /// shared by machines with other roles.
  func identity(machine: String) -> String {
    service == .instance ? "instance \(url) \(machine)" : "container \(url)"
  }
}
