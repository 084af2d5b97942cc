import ArgumentParser
import Foundation
import ImageDownloads
import ObjectStorage

/// Options for object storage.
struct ObjectStorageOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Server of S3 URLs (default: from AWS_ENDPOINT_URL_S3, AWS_ENDPOINT_URL or the AWS profile, else AWS).",
      valueName: "url"))
  var s3Endpoint: String?

  @Option(
    help: ArgumentHelp(
      "Path-style or virtual-hosted-style requests (default: virtual at AWS, path elsewhere).",
      valueName: "path|virtual"))
  var s3Addressing: AddressingArgument?

  @Option(
    help: ArgumentHelp(
      "Credentials from AWS's variables and files (local), or from the container or instance (ECS, EKS or EC2).",
      valueName: "local|instance"))
  var s3Credentials = ObjectCredentialsArgument.local

  func validate() throws {
    guard let s3Endpoint else { return }
    do throws(ObjectStorageFailure) {
      _ = try ObjectService(endpoint: s3Endpoint, region: "us-east-1", accessKey: nil)
    } catch {
      throw ValidationError("--s3-endpoint: \(error.message)")
    }
  }

  /// The service, whose other settings come from the environment and AWS's files when it is used.
  var stores: ObjectStores {
    var settings = ObjectStorageSettings(
      environment: ProcessInfo.processInfo.environment, endpoint: s3Endpoint,
      addressing: s3Addressing?.addressing)
    if s3Credentials == .instance {
      settings.provider = { () throws(ObjectStorageFailure) in try Self.instance.get() }
    }
    return ObjectStores(settings)
  }

  /// The credentials of this container or instance: sources, outputs and the remote cache share them.
  private static let instance = Result { () throws(ObjectStorageFailure) in
    InstanceCredentials(try CredentialEndpoint(environment: ProcessInfo.processInfo.environment))
  }
}

enum AddressingArgument: String, ExpressibleByArgument, CaseIterable {
  case path, virtual

  var addressing: ObjectService.Addressing { self == .path ? .path : .virtual }
}

enum ObjectCredentialsArgument: String, ExpressibleByArgument, CaseIterable {
  case local, instance
}
