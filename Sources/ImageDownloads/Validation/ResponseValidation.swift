import Curl
import Vips

/// Checks that a response is an image: by its status, its first bytes, and its content type.
struct ResponseValidation: Sendable {
  var acceptableContentTypes: Set<String>

  /// The number of first bytes that `ImageFormat` and `NonImageContent` examine.
  static let prefixLength = 4096

  enum Verdict {
    /// The response may be an image; the warning is about its content type.
    case accepted(warning: String?)
    case refused(DownloadError)
  }

  /// The error for a status other than 2xx; nil for 2xx.
  func failure(of head: ResponseHead, source: String) -> DownloadError? {
    guard !(200..<300).contains(head.status) else { return nil }
    let reason = head.reason.isEmpty ? "" : " \(head.reason)"
    return DownloadError(
      .httpStatus, "the server returned \(head.status)\(reason)", source: source,
      status: head.status, isTemporary: RetryPolicy.isTransient(status: head.status))
  }

  /// Checks a successful response. The first bytes win over the content type: an image with a wrong type is accepted,
  /// and an HTML page with an image's type is refused.
  /// - Parameters:
  ///   - prefix: The body's first bytes, at least one.
  ///   - isFinal: Whether `prefix` has ``prefixLength`` bytes or is the whole body.
  /// - Returns: nil if more bytes are needed.
  func verdict(
    on head: ResponseHead, prefix: [UInt8], isFinal: Bool, source: String
  ) -> Verdict? {
    let label = head.fields.first("Content-Type").map(ContentTypes.essence)
    if let format = ImageFormat(signature: prefix) { return verdict(on: format, label, head, source) }
    switch NonImageContent(head: prefix) {
    case .html: return refusal("the server sent an HTML page, not an image", head, source)
    case .json: return refusal("the server sent JSON, not an image", head, source)
    default: break
    }
    guard isFinal else { return nil }
    if let error = codingFailure(head.fields, prefix: prefix, status: head.status, source: source) {
      return .refused(error)
    }
    guard let label, !acceptableContentTypes.contains(label) else { return .accepted(warning: nil) }
    return refusal("the server sent '\(label)', not an image", head, source)
  }

  /// The error for a body that isn't an image because the server has encoded it; nil for others. Requests have no
  /// Accept-Encoding by default (RFC 9110 §12.5.3).
  func codingFailure(
    _ fields: [HeaderField], prefix: [UInt8], status: Int, source: String
  ) -> DownloadError? {
    guard Self.isEncoded(fields), ImageFormat(signature: prefix) == nil else { return nil }
    let coding = fields.values(of: "Content-Encoding").joined(separator: ", ").lowercased()
    return DownloadError(
      .notAnImage,
      "the server sent 'Content-Encoding: \(coding)', which wasn't requested; ask for the image itself with the "
        + "header 'Accept-Encoding: identity', or contact the server's operator",
      source: source, status: status, isTemporary: false)
  }

  /// Whether a response says that its body has a content coding.
  static func isEncoded(_ fields: [HeaderField]) -> Bool {
    fields.values(of: "Content-Encoding").contains { !["", "identity"].contains($0.lowercased()) }
  }

  /// Checks a body with the signature of `format`.
  private func verdict(
    on format: ImageFormat, _ label: String?, _ head: ResponseHead, _ source: String
  ) -> Verdict {
    let own = ContentTypes.types(of: format)
    guard let label, !own.contains(label), !Self.unspecificTypes.contains(label) else {
      guard let label, own.contains(label), !acceptableContentTypes.contains(label) else {
        return .accepted(warning: nil)
      }
      var error = DownloadError(
        .notAnImage, "the server sent '\(label)', a format that isn't read by default", source: source,
        status: head.status, isTemporary: false)
      error.reason = .unreadFormat(format.rawValue)
      return .refused(error)
    }
    let isAcceptable = acceptableContentTypes.contains(label)
    guard isAcceptable || !acceptableContentTypes.isDisjoint(with: own) else {
      return refusal("the server sent '\(label)', not an image", head, source)
    }
    // A type that the user added belongs to no format; don't warn of it.
    let isMistaken =
      !isAcceptable || ImageFormat.allCases.contains { ContentTypes.types(of: $0).contains(label) }
    return .accepted(
      warning: isMistaken ? "the server says '\(label)', but the image is \(format.rawValue)" : nil)
  }

  /// The types that servers send for unknown types; the second is Amazon S3's.
  private static let unspecificTypes = [ContentTypes.unspecific, "binary/octet-stream"]

  func emptyBody(_ head: ResponseHead, source: String) -> DownloadError {
    DownloadError(
      .empty, "the server sent an empty body", source: source, status: head.status, isTemporary: false)
  }

  private func refusal(
    _ message: String, _ head: ResponseHead, _ source: String
  ) -> Verdict {
    let remedy = "; open the URL in a browser to see what it is"
    return .refused(
      DownloadError(.notAnImage, message + remedy, source: source, status: head.status, isTemporary: false))
  }
}
