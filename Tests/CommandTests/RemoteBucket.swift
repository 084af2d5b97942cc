import Foundation
import LoopbackServer
import TestSupport
import Testing

/// A bucket with the outputs of machines. Each `CommandRun` has a cache and directories of its own, as a machine has.
struct RemoteBucket {
  let server: ObjectServer
  static let address = "s3://outputs/images"

  init() throws { server = try ObjectServer() }

  var environment: [String: String] {
    ObjectServer.environment.merging(["AWS_ENDPOINT_URL_S3": server.endpoint]) { $1 }
  }

  /// Runs a manifest with six outputs on a machine, and returns the summary of its report.
  func run(
    _ machine: CommandRun, _ options: String..., at address: String = Self.address,
    environment: [String: String]? = nil
  ) async throws -> (outcome: CommandRun.Outcome, summary: [String: Any]) {
    var manifest = "imagemill: 1\njobs:\n"
    for number in 0..<3 {
      try machine.write(PNGImage.bytes(width: 60, height: 40, seed: number), to: "\(number).png")
      manifest += """
          - source: \(number).png
            outputs: [{filter: "fit:20x20", output: "\(number).png"}, {filter: circle, output: "\(number).webp"}]

        """
    }
    try machine.write(manifest, to: "m.yaml")
    let outcome = try await machine.run(
      arguments: ["run", "--remote-cache", address, "--report", "report.json", "-C", "out", "m.yaml"]
        + options,
      environment: environment ?? self.environment)
    let report =
      try JSONSerialization.jsonObject(with: machine.read("report.json") ?? Data()) as? [String: Any]
    return (outcome, try #require(report?["summary"] as? [String: Any], "\(outcome.errors)"))
  }

  /// A machine that has made all outputs and shared them.
  func shared(at address: String = Self.address) async throws -> CommandRun {
    let machine = try CommandRun()
    let (outcome, summary) = try await run(machine, at: address)
    #expect(outcome.status == 0 && outcome.warnings.isEmpty, "\(outcome.errors)")
    #expect(summary["renderings"] as? Int == 6 && summary["remoteUploads"] as? Int == 6)
    return machine
  }
}

extension CommandRun {
  /// The files below `out`.
  var made: [String: Data] {
    var outputs: [String: Data] = [:]
    for name in files where name.hasPrefix("out/") { outputs[name] = read(name) }
    return outputs
  }
}

extension CommandRun.Outcome {
  var warnings: [String] {
    errors.split(separator: "\n").filter { $0.contains("warning") }.map(String.init)
  }

  /// Whether what it printed has one of the secrets of `ObjectServer`.
  var tellsSecrets: Bool {
    [ObjectServer.environment["AWS_SECRET_ACCESS_KEY"], ObjectServer.environment["AWS_SESSION_TOKEN"]]
      .contains { secret in secret.map { (errors + text).contains($0) } ?? true }
  }
}
