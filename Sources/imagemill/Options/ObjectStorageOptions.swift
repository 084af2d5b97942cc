import ArgumentParser
import Foundation
import ImageDownloads
import ObjectStorage

/// Options for object storage.
struct ObjectStorageOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Server of s3:// addresses (default: from AWS_ENDPOINT_URL_S3, AWS_ENDPOINT_URL or the AWS profile, else AWS).",
      valueName: "url"))
  var s3Endpoint: String?

  @Option(
    help: ArgumentHelp(
      "Path-style or virtual-hosted-style requests (default: virtual at AWS, path elsewhere).",
      valueName: "path|virtual"))
  var s3Addressing: AddressingArgument?

  /// The service, whose other settings come from the environment and AWS's files when it is used.
  /// - Throws: `CommandError` if the endpoint isn't a URL.
  var stores: ObjectStores {
    get throws {
      if let s3Endpoint {
        do throws(ObjectStorageFailure) {
          _ = try ObjectService(endpoint: s3Endpoint, region: "us-east-1", accessKey: nil)
        } catch {
          throw CommandError(.usage, "--s3-endpoint: \(error.message)")
        }
      }
      return ObjectStores(
        ObjectStorageSettings(
          environment: ProcessInfo.processInfo.environment, endpoint: s3Endpoint,
          addressing: s3Addressing?.addressing))
    }
  }
}

enum AddressingArgument: String, ExpressibleByArgument, CaseIterable {
  case path, virtual

  var addressing: ObjectService.Addressing { self == .path ? .path : .virtual }
}
