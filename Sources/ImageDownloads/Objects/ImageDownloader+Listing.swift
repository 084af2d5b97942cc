import ImageCaches
package import ObjectStorage
import SystemIO

extension ImageDownloader {
  /// A page of the objects whose keys have a prefix, through the same queue, policy and retries as downloads. It isn't cached.
  /// - Parameters:
  ///   - prefix: The bucket and the prefix of the keys, which may be empty.
  ///   - continuation: The token of the page before; nil for the first page.
  /// - Throws: `DownloadError` if the server refuses or can't be reached.
  package func objects(
    below prefix: ObjectAddress, continuation: String? = nil
  ) async throws(DownloadError) -> ObjectListing {
    let name = prefix.description
    guard let stores = configuration.objectStores else { throw refusal(of: name) }
    let service: ObjectService
    do throws(ObjectStorageFailure) { service = try stores.service() } catch {
      throw DownloadError(.badSource, error.message, source: name)
    }
    guard let url = WebAddress(service.listingURL(of: prefix, continuation: continuation)) else {
      throw refusal(of: name)
    }
    let source = ImageSource.url(name)
    let key = RequestKey(
      source: source, headers: [], cacheMode: .none, wantsImage: false, followsRedirects: false,
      service: service, listing: url)
    let response = try await response(to: key, RequestReceipt(ImageRequest(source)), priority: 0)
    let result: Result<ObjectListing, DownloadError> = await work.run {
      Result { () throws(DownloadError) in try Self.listing(response, key) }
    }
    return try result.get()
  }

  /// Blocks.
  private static func listing(_ response: Response, _ key: RequestKey) throws(DownloadError) -> ObjectListing
  {
    let body: [UInt8]
    do throws(SystemError) { body = try File.contents(of: response.path) } catch {
      throw DownloadError(.unreadable, "can't read the server's list: \(error.text)", source: key.displayText)
    }
    if let error = ObjectFailure.error(for: response.head, body: body, of: key, now: SystemTime.now) {
      throw error
    }
    do throws(ObjectStorageFailure) { return try ObjectListing(parsing: body) } catch {
      throw DownloadError(.transferFailed, error.message, source: key.displayText)
    }
  }
}
