import Curl
package import ObjectStorage
import SystemIO

extension ImageDownloader {
  /// The service that `s3:` addresses name.
  /// - Throws: `DownloadError` if its settings are wrong.
  package func objectService(for address: ObjectAddress) throws(DownloadError) -> ObjectService {
    guard let stores = configuration.objectStores else { throw refusal(of: address.description) }
    do throws(ObjectStorageFailure) { return try stores.service() } catch {
      throw DownloadError(.badSource, error.message, source: address.description)
    }
  }

  /// Sends a request to object storage, through the same queue, limits, policy and retries as downloads.
  /// - Parameters:
  ///   - operation: The request.
  ///   - address: The object or the prefix that it is about, for messages.
  ///   - statuses: The statuses that aren't failures, besides 2xx.
  /// - Throws: `DownloadError` if the server refuses or can't be reached, or the call was cancelled.
  package func perform(
    _ operation: ObjectOperation, on address: ObjectAddress, accepting statuses: Set<Int> = []
  ) async throws(DownloadError) -> ObjectAnswer {
    let service = try objectService(for: address)
    let source = ImageSource.url(address.description)
    guard let url = WebAddress(operation.request.url) else { throw refusal(of: address.description) }
    let key = RequestKey(
      source: source, headers: [], cacheMode: .none, wantsImage: false, followsRedirects: false,
      service: service, listing: url, operation: operation)
    let response = try await response(
      to: key, RequestReceipt(ImageRequest(source)), priority: ObjectOperation.priority)
    let result: Result<ObjectAnswer, DownloadError> = await work.run {
      Result { () throws(DownloadError) in try Self.answer(response, key, statuses) }
    }
    return try result.get()
  }

  /// The longest answer, in bytes: a page of a listing has less than 3 MiB.
  private static let longestAnswer = 16 << 20

  /// Blocks.
  private static func answer(
    _ response: Response, _ key: RequestKey, _ statuses: Set<Int>
  ) throws(DownloadError) -> ObjectAnswer {
    let body: [UInt8]
    do throws(SystemError) {
      body = try File.contents(of: response.path, limit: longestAnswer)
    } catch {
      throw DownloadError(
        .unreadable, "can't read the server's answer: \(error.text)", source: key.displayText)
    }
    let (head, now) = (response.head, SystemTime.now)
    if !statuses.contains(head.status),
      let error = ObjectFailure.error(for: head, body: body, of: key, now: now)
    {
      throw error
    }
    let time = head.fields.first("Date").flatMap { HTTPDate.parse($0, now: Int(now)) }
    return ObjectAnswer(
      status: head.status, fields: head.fields, body: body, serverTime: time.map(Double.init))
  }
}
