import Curl
import Vips

/// Whether a response is an image: status, then the first bytes, then the content type.
struct ResponseValidation: Sendable {
  var acceptableContentTypes: Set<String>

  /// How many of the first bytes are judged: what `ImageFormat` and `ForeignContent` look at.
  static let prefixLength = 4096

  /// What the head and the first bytes amount to.
  enum Verdict {
    /// An image may follow; the warning is about its label.
    case accepted(warning: String?)
    case refused(DownloadError)
  }

  /// Why the status alone rules an image out; nil if it doesn't.
  func failure(of head: ResponseHead, source: String) -> DownloadError? {
    guard !(200..<300).contains(head.status) else { return nil }
    let reason = head.reason.isEmpty ? "" : " \(head.reason)"
    return DownloadError(
      .httpStatus, "the server answered \(head.status)\(reason)", source: source,
      status: head.status, isTemporary: RetryPolicy.isTransient(status: head.status))
  }

  /// Judges a successful response. The first bytes win over the label: an image under a wrong one is read, and a page
  /// that is labeled an image is not.
  /// - Parameters:
  ///   - prefix: the body's first bytes, at least one.
  ///   - isFinal: whether `prefix` has ``prefixLength`` bytes or is the whole body.
  /// - Returns: nil if more bytes are needed.
  func verdict(
    on head: ResponseHead, prefix: [UInt8], isFinal: Bool, source: String
  ) -> Verdict? {
    let label = head.fields.first("Content-Type").map(ContentTypes.essence)
    if let format = ImageFormat(signature: prefix) { return verdict(on: format, label, head, source) }
    switch ForeignContent(head: prefix) {
    case .html: return refusal("the server sent an HTML page, not a picture", head, source)
    case .json: return refusal("the server sent JSON, not a picture", head, source)
    default: break
    }
    guard isFinal else { return nil }
    // No coding was asked for (RFC 9110 §12.5.3).
    if let coding = head.fields.first("Content-Encoding")?.lowercased(), coding != "identity" {
      return refusal("the server sent the picture coded as '\(coding)', which wasn't asked for", head, source)
    }
    guard let label, !acceptableContentTypes.contains(label) else { return .accepted(warning: nil) }
    return refusal("the server sent '\(label)', not a picture", head, source)
  }

  /// Judges a body that begins like an image of `format`.
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
      return refusal("the server sent '\(label)', not a picture", head, source)
    }
    // A type that was added belongs to no format, and is no mistake.
    let isMistaken =
      !isAcceptable || ImageFormat.allCases.contains { ContentTypes.types(of: $0).contains(label) }
    return .accepted(
      warning: isMistaken ? "the server says '\(label)', but the picture is \(format.rawValue)" : nil)
  }

  /// What servers send that know nothing better; the second is Amazon S3's.
  private static let unspecificTypes = [ContentTypes.unspecific, "binary/octet-stream"]

  /// Why a body of no bytes isn't one.
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
