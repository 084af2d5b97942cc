import FoundationEssentials
import ObjectStorage

/// The document in which a server gives credentials.
struct CredentialAnswer: Decodable {
  private var code: String?
  private var id: String?
  private var secret: String?
  private var token: String?
  private var expiration: String?

  private enum CodingKeys: String, CodingKey {
    case code = "Code"
    case id = "AccessKeyId"
    case secret = "SecretAccessKey"
    case token = "Token"
    case expiration = "Expiration"
  }

  /// The key of a document and its end in seconds since 1970.
  /// - Throws: `CredentialFailure` if the document has none. Its text is never shown, since it may have a secret.
  static func credentials(in bytes: [UInt8]) throws(CredentialFailure) -> (key: AccessKey, expiry: Double) {
    let answer: CredentialAnswer
    do { answer = try JSONDecoder().decode(Self.self, from: Data(bytes)) } catch {
      throw CredentialFailure("it returned no credentials, but other text")
    }
    // A role that can't be assumed has a code instead of credentials.
    if let code = answer.code, code != "Success" {
      throw CredentialFailure("it returned '\(word(code))' in place of credentials")
    }
    guard let id = answer.id, let secret = answer.secret, let token = answer.token, !id.isEmpty,
      !secret.isEmpty
    else { throw CredentialFailure("it returned incomplete credentials") }
    // They are fields of requests.
    guard CredentialEndpoint.isOneLine(id + token), let text = answer.expiration, let expiry = seconds(text)
    else { throw CredentialFailure("it returned invalid credentials") }
    return (AccessKey(id: id, secret: secret, token: token), expiry)
  }

  /// A code, without what couldn't be one.
  static func word(_ code: String) -> String {
    String(code.prefix(64).filter { $0.isASCII && ($0.isLetter || $0.isNumber || "-_.".contains($0)) })
  }

  private static func seconds(_ text: String) -> Double? {
    // `2026-05-01T09:30:00Z`, with a fraction on some servers.
    let whole = text.prefix { $0 != "." && $0 != "Z" }
    do { return try Date(whole + "Z", strategy: .iso8601).timeIntervalSince1970 } catch { return nil }
  }
}
