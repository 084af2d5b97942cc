import ImageCaches
import ImageDownloads

/// A request's identity in the memory cache. Unlike AlamofireImage's it has the headers in it: an image that one user's
/// credentials opened is not for others.
struct MemoryIdentity: ImageRequestIdentity {
  let absoluteURL: String

  init(_ request: ImageRequest) {
    guard !request.headers.isEmpty else {
      absoluteURL = request.absoluteURL
      return
    }
    var key = KeyBuilder("headers")
    for field in request.headers {
      key.append(field.name.lowercased())
      key.append(field.value)
    }
    absoluteURL = "\(request.absoluteURL) \(key.digest.hex)"
  }
}
