import Curl
import Glibc
import ObjectStorage
import Synchronization
import SystemIO
import WebValues

/// The requests that get credentials, with the version 2 of the instance's service alone: version 1 needs no token, so
/// that whoever can make a proxy or a web application on the machine send a request gets its credentials.
struct CredentialFetch: Sendable {
  let endpoint: CredentialEndpoint
  /// The limit for each attempt of a request, in seconds. The servers are at most one hop away.
  var timeout = 2.0
  /// The waits between attempts, in seconds.
  var waits = [0.1, 0.4]

  /// The longest answer, in bytes. Tokens have about a thousand.
  private static let longestAnswer = 64 << 10
  /// The lifetime of the token, in seconds: the shortest that is enough for two requests on a slow machine.
  private static let tokenLifetime = "60"

  private struct Answer {
    var status: Int
    var body: [UInt8]
    var serverTime: Double?

    var text: String { String(decoding: body, as: UTF8.self) }
  }

  /// Gets the credentials.
  /// - Returns: The key, and for how many seconds it is valid by the server's clock: this machine's may be wrong.
  func run() async throws(CredentialFailure) -> (key: AccessKey, lifetime: Double) {
    let engine: TransferEngine
    do throws(CurlError) { engine = try TransferEngine(connectionLimit: 1) } catch {
      throw failure(error.message, isTemporary: true)
    }
    let answer: Result<Answer, CredentialFailure>
    switch endpoint.service {
    case .container(let authorization): answer = await container(authorization, engine)
    case .instance: answer = await instance(engine)
    }
    await engine.shutDown()
    let document = try answer.get()
    do throws(CredentialFailure) {
      let (key, expiry) = try CredentialAnswer.credentials(in: document.body)
      let lifetime = expiry - (document.serverTime ?? SystemTime.now)
      guard lifetime > 0 else {
        throw CredentialFailure("it returned credentials that have expired", isTemporary: true)
      }
      return (key, lifetime)
    } catch {
      throw failure(error.message, isTemporary: error.isTemporary)
    }
  }

  // MARK: Services

  private func container(
    _ authorization: CredentialEndpoint.Authorization, _ engine: TransferEngine
  ) async -> Result<Answer, CredentialFailure> {
    var fields = [HeaderField("Accept", "application/json")]
    switch authorization {
    case .none: break
    case .token(let token): fields.append(HeaderField("Authorization", token))
    case .file(let path):
      do throws(SystemError) {
        var bytes = try File.contents(of: path, limit: Self.longestAnswer)
        while bytes.last == UInt8(ascii: "\n") || bytes.last == UInt8(ascii: "\r") { bytes.removeLast() }
        let token = String(decoding: bytes, as: UTF8.self)
        guard !token.isEmpty, CredentialEndpoint.isOneLine(token) else {
          return .failure(failure("the file of AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE must have one line"))
        }
        fields.append(HeaderField("Authorization", token))
      } catch {
        let words = "can't read the file of AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE: \(error.text)"
        return .failure(failure(words, isTemporary: true))
      }
    }
    return await send("GET", endpoint.url.description, fields, engine) { status in
      switch status {
      case 401, 403: "it refuses the authorization token"
      case 404: "it has no credentials for this container"
      default: nil
      }
    }
  }

  private func instance(_ engine: TransferEngine) async -> Result<Answer, CredentialFailure> {
    let base = endpoint.url.description
    let latest = (base.hasSuffix("/") ? base : base + "/") + "latest/"
    do throws(CredentialFailure) {
      let ttl = HeaderField("X-aws-ec2-metadata-token-ttl-seconds", Self.tokenLifetime)
      let token = try await send("PUT", latest + "api/token", [ttl], engine) { status in
        switch status {
        case 403: "it is turned off (HttpEndpoint)"
        case 404, 405: "it gives no tokens, so it isn't version 2 (IMDSv2)"
        default: nil
        }
      }.get().text
      guard !token.isEmpty, CredentialEndpoint.isOneLine(token) else {
        throw failure("it returned no token")
      }
      let fields = [HeaderField("X-aws-ec2-metadata-token", token)]
      let roles = latest + "meta-data/iam/security-credentials/"
      let noRole = "the instance has no role; attach an instance profile"
      let role =
        try await send("GET", roles, fields, engine) { $0 == 404 ? noRole : nil }.get().text
        .split(whereSeparator: \.isNewline).first.map(String.init) ?? ""
      guard !role.isEmpty else { throw failure(noRole) }
      return await send("GET", roles + PercentEncoding.encodedSegment(role), fields, engine) { _ in nil }
    } catch {
      return .failure(error)
    }
  }

  // MARK: Requests

  /// Sends a request, again if it fails for the moment.
  /// - Parameter words: What a status means; nil for one without a meaning of its own.
  private func send(
    _ method: String, _ url: String, _ fields: [HeaderField], _ engine: TransferEngine,
    words: (Int) -> String?
  ) async -> Result<Answer, CredentialFailure> {
    var options = TransferOptions(url: url)
    options.method = method
    if method == "PUT" { options.body = .bytes([]) }
    options.fields = fields
    options.connectTimeout = timeout
    options.stallTimeout = timeout
    options.timeout = timeout
    options.byteLimit = Self.longestAnswer
    // No proxy: it would get the credentials, and has an address of this kind of its own.
    options.allowsAddress = { [endpoint] in endpoint.allows($0) }
    var waits = waits[...]
    while true {
      let result = await attempt(options, engine, words)
      guard case .failure(let failure) = result, failure.isTemporary, let wait = waits.popFirst() else {
        return result
      }
      do { try await Task.sleep(for: .seconds(wait)) } catch { return result }
    }
  }

  private func attempt(
    _ options: TransferOptions, _ engine: TransferEngine, _ words: (Int) -> String?
  ) async -> Result<Answer, CredentialFailure> {
    let sink = CollectedBody()
    do throws(CurlError) {
      let head = try await engine.perform(options, into: sink).head
      let now = SystemTime.now
      let date = head.fields.first("Date").flatMap { HTTPDate.parse($0, now: Int(now)) }
      guard (200..<300).contains(head.status) else {
        let isTemporary = head.status == 429 || head.status >= 500
        let text = words(head.status).map { "\($0) (\(head.status))" } ?? "it returned \(head.status)"
        return .failure(failure(text, isTemporary: isTemporary))
      }
      return .success(Answer(status: head.status, body: sink.bytes, serverTime: date.map(Double.init)))
    } catch {
      if case .addressRefused(let address) = error.reason {
        return .failure(failure(CredentialEndpoint.refusal(of: "\(address)")))
      }
      if error.reason == .byteLimitExceeded { return .failure(failure("it returned too much")) }
      var text = error.message
      if endpoint.service == .instance, options.method == "PUT", error.curlCode == 28 {
        text += "; in a container, the instance needs a hop limit of 2 (HttpPutResponseHopLimit)"
      }
      return .failure(failure(text, isTemporary: true))
    }
  }

  private func failure(_ text: String, isTemporary: Bool = false) -> CredentialFailure {
    let kind = endpoint.service == .instance ? "instance" : "container"
    return CredentialFailure(
      "can't get the \(kind)'s credentials from \(endpoint.url.origin): \(text)", isTemporary: isTemporary)
  }
}

/// A short body in memory.
private final class CollectedBody: TransferSink {
  private let received = Mutex<[UInt8]>([])

  var bytes: [UInt8] { received.withLock(\.self) }

  func receive(head: ResponseHead) -> Bool { true }

  func receive(bytes: UnsafeRawBufferPointer) -> Bool {
    received.withLock { $0.append(contentsOf: bytes) }
    return true
  }
}
