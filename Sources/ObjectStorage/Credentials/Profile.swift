import SystemIO

/// A profile of AWS's files, and what it leaves to others.
struct Profile: Sendable {
  let name: String
  /// Whether the profile was asked for by `AWS_PROFILE`.
  let isNamed: Bool
  private let values: [String: String]
  private let services: [String: String]
  private let exists: Bool

  /// Reads a profile from the files that exist.
  /// - Parameters:
  ///   - environment: `AWS_PROFILE` names the profile, `AWS_CONFIG_FILE` and `AWS_SHARED_CREDENTIALS_FILE` the files.
  ///   - read: Reads a file; nil if there is none.
  init(
    environment: [String: String], read: (String) throws(ObjectStorageFailure) -> String?
  ) throws(ObjectStorageFailure) {
    func set(_ name: String) -> String? { environment[name].flatMap { $0.isEmpty ? nil : $0 } }
    let chosen = set("AWS_PROFILE") ?? set("AWS_DEFAULT_PROFILE")
    name = chosen ?? "default"
    isNamed = chosen != nil
    let home = set("HOME")
    func file(_ variable: String, _ usual: String) throws(ObjectStorageFailure) -> ProfileFile? {
      var path = set(variable) ?? home.map { $0 + usual }
      if let home, let given = path, given.hasPrefix("~/") { path = home + given.dropFirst() }
      guard let path else { return nil }
      return try read(path).map { ProfileFile(parsing: $0) }
    }
    let config = try file("AWS_CONFIG_FILE", "/.aws/config")?.sections ?? [:]
    let credentials = try file("AWS_SHARED_CREDENTIALS_FILE", "/.aws/credentials")?.sections ?? [:]
    let described = config["profile \(name)"] ?? (name == "default" ? config["default"] : nil)
    values = (described ?? [:]).merging(credentials[name] ?? [:]) { $1 }
    services = (values["services"].flatMap { config["services \($0)"] }) ?? [:]
    exists = described != nil || credentials[name] != nil
  }

  subscript(_ key: String) -> String? { values[key].flatMap { $0.isEmpty ? nil : $0 } }

  /// The endpoint for S3: of the profile's services, else its own.
  var endpoint: String? {
    services["s3.endpoint_url"].flatMap { $0.isEmpty ? nil : $0 } ?? self["endpoint_url"]
  }

  /// The profile's access key; nil if it has none, and names no other way to get one.
  func accessKey() throws(ObjectStorageFailure) -> AccessKey? {
    if let id = self["aws_access_key_id"] {
      guard let secret = self["aws_secret_access_key"] else {
        throw ObjectStorageFailure(
          "the AWS profile '\(name)' has an aws_access_key_id, but no aws_secret_access_key")
      }
      return AccessKey(id: id, secret: secret, token: self["aws_session_token"])
    }
    for key in ["role_arn", "credential_process", "sso_session", "sso_start_url", "web_identity_token_file"]
    where self[key] != nil {
      throw ObjectStorageFailure(
        "the AWS profile '\(name)' gets its credentials by \(key), which isn't supported; set them in the environment, as "
          + "printed by 'aws configure export-credentials'")
    }
    if isNamed, !exists {
      throw ObjectStorageFailure("there is no AWS profile '\(name)', which AWS_PROFILE names")
    }
    return nil
  }
}
