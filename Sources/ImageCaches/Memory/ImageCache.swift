public import Vips

/// A cache of images by identifier (AlamofireImage's `ImageCache`).
public protocol ImageCache: Sendable {
  /// Adds an image; one of the same identifier is replaced.
  func add(_ image: VipsImage, withIdentifier identifier: String)

  /// Removes an image. Returns whether there was one.
  @discardableResult
  func removeImage(withIdentifier identifier: String) -> Bool

  /// Removes every image. Returns whether there was any.
  @discardableResult
  func removeAllImages() -> Bool

  /// The image, if it is there.
  func image(withIdentifier identifier: String) -> VipsImage?
}

/// What an image was asked for with: a URL, as text.
public protocol ImageRequestIdentity: Sendable {
  /// The absolute URL.
  var absoluteURL: String { get }
}

/// A cache of images by the request that they came from and the filter that was applied to them
/// (AlamofireImage's `ImageRequestCache`).
public protocol ImageRequestCache: ImageCache {
  /// Adds the image that `request` gave, with the filter `identifier` applied; nil: with none.
  func add(_ image: VipsImage, for request: some ImageRequestIdentity, withIdentifier identifier: String?)

  /// Removes the image of a request and a filter. Returns whether there was one.
  @discardableResult
  func removeImage(for request: some ImageRequestIdentity, withIdentifier identifier: String?) -> Bool

  /// Removes a request's images, whatever filter was applied. Returns whether there was any. A request of which
  /// another's URL is only the beginning isn't meant.
  @discardableResult
  func removeImages(matching request: some ImageRequestIdentity) -> Bool

  /// The image of a request and a filter, if it is there.
  func image(for request: some ImageRequestIdentity, withIdentifier identifier: String?) -> VipsImage?
}
