import Foundation
import Synchronization

/// The server that gives a machine or a container its credentials: IMDSv2, and the endpoint of containers at
/// `/credentials`. It gives those that `ObjectServer` knows.
public final class MetadataServer: Sendable {
  /// The role of the instance.
  public static let role = "images role"
  /// The token that the instance's service gives.
  public static let token = "metadata-token=="
  /// The authorization of the container's service.
  public static let authorization = "Bearer pod-token"

  private struct State {
    var lifetime = 3600.0
    var clock = 0.0
    var fault: @Sendable (Request) -> Page? = { _ in nil }
    var number = 0
    var renewsKey = false
  }

  private final class Shared: Sendable {
    let state = Mutex(State())
  }

  /// The server behind it, which counts requests.
  public let server: LoopbackServer
  private let shared: Shared

  /// A server whose credentials are valid for an hour.
  public init() throws {
    let shared = Shared()
    self.shared = shared
    server = try LoopbackServer { request in
      if let page = shared.state.withLock({ $0.fault })(request) { return page }
      let roles = "/latest/meta-data/iam/security-credentials/"
      switch (request.method, request.target) {
      case ("PUT", "/latest/api/token"):
        return request.field("X-aws-ec2-metadata-token-ttl-seconds") == nil
          ? Page(status: 400, reason: "Bad Request") : Page(text: Self.token)
      case ("GET", let path) where path.hasPrefix("/latest/"):
        guard request.field("X-aws-ec2-metadata-token") == Self.token else {
          return Page(status: 401, reason: "Unauthorized")
        }
        if path == roles { return Page(text: Self.role) }
        return path == roles + "images%20role"
          ? shared.state.withLock { Self.document(&$0) } : Page(status: 404)
      case ("GET", "/credentials"):
        return request.field("Authorization") == Self.authorization
          ? shared.state.withLock { Self.document(&$0) } : Page(status: 401, reason: "Unauthorized")
      default: return Page(status: 404, reason: "Not Found")
      }
    }
  }

  /// `http://127.0.0.1:PORT`.
  public var endpoint: String { server.url("") }

  /// Gives credentials that are valid for so many seconds, each with an access key of its own if they are renewed.
  /// - Parameter clock: By how many seconds the server's clock is ahead of this machine's.
  public func give(lifetime: Double, clock: Double = 0, renewsKey: Bool = false) {
    shared.state.withLock { ($0.lifetime, $0.clock, $0.renewsKey) = (lifetime, clock, renewsKey) }
  }

  /// Answers requests with other pages from now on; nil for the usual answer.
  public func inject(_ fault: @escaping @Sendable (Request) -> Page?) {
    shared.state.withLock { $0.fault = fault }
  }

  /// How often credentials were asked for.
  public var fetches: Int {
    server.requests.count { $0.target.hasSuffix("images%20role") || $0.target == "/credentials" }
  }

  /// Ends the server.
  public func stop() { server.stop() }

  private static func document(_ state: inout State) -> Page {
    state.number += 1
    let now = Date().addingTimeInterval(state.clock)
    let known = ObjectServer.environment
    let id = (known["AWS_ACCESS_KEY_ID"] ?? "") + (state.renewsKey ? "\(state.number)" : "")
    let end = ISO8601DateFormatter().string(from: now.addingTimeInterval(state.lifetime))
    let text = """
      {"Code": "Success", "Type": "AWS-HMAC", "AccessKeyId": "\(id)",
       "SecretAccessKey": "\(known["AWS_SECRET_ACCESS_KEY"] ?? "")", "Token": "\(known["AWS_SESSION_TOKEN"] ?? "")",
       "Expiration": "\(end)", "LastUpdated": "2026-05-01T09:30:00Z"}
      """
    let date = DateFormatter()
    date.locale = Locale(identifier: "en_US_POSIX")
    date.timeZone = TimeZone(secondsFromGMT: 0)
    date.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
    return Page(
      Array(text.utf8), type: "application/json", fields: [("Date", date.string(from: now))])
  }
}
