import ImageCaches
import ImageDownloads

/// A request's identity in the memory cache. Unlike AlamofireImage's it has the headers in it: an image that one user's
/// credentials opened is not for others. The number of the downloader's credential is in it for the same reason.
struct MemoryIdentity: ImageRequestIdentity {
  let absoluteURL: String

  init(_ request: ImageRequest, _ authentication: ImageDownloader.Authentication) {
    guard !request.headers.isEmpty || authentication.generation > 0 else {
      absoluteURL = request.absoluteURL
      return
    }
    var key = KeyBuilder("headers")
    key.append(String(authentication.generation))
    for field in request.headers {
      key.append(field.name.lowercased())
      key.append(field.value)
    }
    absoluteURL = "\(request.absoluteURL) \(key.digest.hex)"
  }
}
