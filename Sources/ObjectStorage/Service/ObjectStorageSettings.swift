import SystemIO

/// Where the settings of object storage come from: an option, AWS's variables and AWS's files.
package struct ObjectStorageSettings: Sendable {
  /// The endpoint that was asked for; nil for that of the environment, of the profile, or AWS.
  package var endpoint: String?
  /// How a bucket is named; nil for the profile's way, or the endpoint's usual one.
  package var addressing: ObjectService.Addressing?
  /// Makes what gives the credentials; nil for those of the environment and of AWS's files.
  package var provider: (@Sendable () throws(ObjectStorageFailure) -> any AccessKeyProvider)?
  /// The environment's variables.
  package var environment: [String: String]

  package init(
    environment: [String: String], endpoint: String? = nil, addressing: ObjectService.Addressing? = nil
  ) {
    self.environment = environment
    self.endpoint = endpoint
    self.addressing = addressing
  }

  /// Reads the settings.
  /// - Parameter read: Reads a file; nil if there is none. Default: reads it from the disk.
  /// - Throws: `ObjectStorageFailure` if they are wrong or incomplete.
  package func service(
    reading read: (String) throws(ObjectStorageFailure) -> String? = Self.contents
  ) throws(ObjectStorageFailure) -> ObjectService {
    let profile = try Profile(environment: environment, read: read)
    let region = set("AWS_REGION") ?? set("AWS_DEFAULT_REGION") ?? profile["region"]
    if let region, !region.utf8.allSatisfy(Self.isInRegion) {
      throw ObjectStorageFailure("'\(region)' isn't the name of a region, such as 'eu-west-1'")
    }
    let ignores = set("AWS_IGNORE_CONFIGURED_ENDPOINT_URLS") ?? profile["ignore_configured_endpoint_urls"]
    let configured =
      ignores?.lowercased() == "true"
      ? nil : set("AWS_ENDPOINT_URL_S3") ?? set("AWS_ENDPOINT_URL") ?? profile.endpoint
    let profiled = try Self.addressing(profile["s3.addressing_style"], of: profile.name)
    return try ObjectService(
      endpoint: endpoint ?? configured, region: region ?? "us-east-1", addressing: addressing ?? profiled,
      credentials: credentials(of: profile))
  }

  private func credentials(of profile: Profile) throws(ObjectStorageFailure) -> ObjectService.Credentials {
    if let provider { return .provider(try provider()) }
    if let key = try environmentKey() { return .key(key) }
    return ObjectService.Credentials(try profile.accessKey())
  }

  private func environmentKey() throws(ObjectStorageFailure) -> AccessKey? {
    guard let id = set("AWS_ACCESS_KEY_ID") else { return nil }
    guard let secret = set("AWS_SECRET_ACCESS_KEY") else {
      throw ObjectStorageFailure(
        "AWS_ACCESS_KEY_ID is set, but AWS_SECRET_ACCESS_KEY isn't: set both or none")
    }
    return AccessKey(id: id, secret: secret, token: set("AWS_SESSION_TOKEN"))
  }

  /// A variable's value; nil if it is unset or empty, as for AWS's tools.
  private func set(_ name: String) -> String? { environment[name].flatMap { $0.isEmpty ? nil : $0 } }

  private static func isInRegion(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"):
      true
    default: "-_".utf8.contains(byte)
    }
  }

  private static func addressing(
    _ style: String?, of profile: String
  ) throws(ObjectStorageFailure) -> ObjectService.Addressing? {
    switch style {
    case nil, "auto": return nil
    case "path": return .path
    case "virtual": return .virtual
    case let style?:
      throw ObjectStorageFailure(
        "the AWS profile '\(profile)' has addressing_style = \(style); it must be path, virtual or auto")
    }
  }

  /// The text of a file; nil if there is none.
  package static func contents(_ path: String) throws(ObjectStorageFailure) -> String? {
    guard File.exists(path) else { return nil }
    do throws(SystemError) {
      return String(decoding: try File.contents(of: path, limit: 1 << 20), as: UTF8.self)
    } catch {
      throw ObjectStorageFailure("can't read \(path): \(error.text)")
    }
  }
}
