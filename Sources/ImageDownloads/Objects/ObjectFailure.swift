import Curl
import ObjectStorage

/// Tells the errors of object storage in words.
enum ObjectFailure {
  /// The error for a request to object storage; nil for another request, or a successful response.
  /// - Parameters:
  ///   - body: The response's body, or its beginning.
  ///   - now: The time in seconds since 1970.
  static func error(
    for head: ResponseHead, body: [UInt8], of key: RequestKey, now: Double
  ) -> DownloadError? {
    guard let service = key.service, !(200..<300).contains(head.status),
      case .url(let text) = key.source, let address = try? ObjectAddress(parsingPrefix: text)
    else { return nil }
    let answer = ObjectStorageAnswer(status: head.status, fields: head.fields, prefix: body)
      .hiding([service.accessKey?.token ?? ""])
    let serverTime = head.fields.first("Date").flatMap { HTTPDate.parse($0, now: Int(now)) }
    let words = answer.words(
      for: address, isSigned: service.isSigned, serverTime: serverTime.map(Double.init), now: now)
    return DownloadError(
      .httpStatus, words, source: key.displayText, status: head.status,
      isTemporary: RetryPolicy.isTransient(status: head.status) || answer.isTemporary
        || service.renewsKeys(after: answer))
  }

  /// Whether the credentials of a request have expired, and there are others for the next attempt.
  static func renewsKeys(after head: ResponseHead, prefix: [UInt8], of key: RequestKey) -> Bool {
    guard let service = key.service, [400, 401, 403].contains(head.status) else { return false }
    return service.renewsKeys(
      after: ObjectStorageAnswer(status: head.status, fields: head.fields, prefix: prefix))
  }
}
