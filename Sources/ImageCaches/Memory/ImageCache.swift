public import Vips

/// A cache of images by identifier (AlamofireImage's `ImageCache`).
public protocol ImageCache: Sendable {
  /// Adds an image, which replaces one with the same identifier.
  func add(_ image: VipsImage, withIdentifier identifier: String)

  /// Removes an image.
  /// - Returns: whether the cache had it.
  @discardableResult
  func removeImage(withIdentifier identifier: String) -> Bool

  /// Removes all images.
  /// - Returns: whether the cache had any.
  @discardableResult
  func removeAllImages() -> Bool

  /// Returns an image; nil if the cache doesn't have it.
  func image(withIdentifier identifier: String) -> VipsImage?
}

/// A request that a cache can identify by its URL.
public protocol ImageRequestIdentity: Sendable {
  /// The absolute URL.
  var absoluteURL: String { get }
}

/// A cache of images by request and applied filter (AlamofireImage's `ImageRequestCache`).
public protocol ImageRequestCache: ImageCache {
  /// Adds the image of a request; `identifier` names the applied filter, if any.
  func add(_ image: VipsImage, for request: some ImageRequestIdentity, withIdentifier identifier: String?)

  /// Removes the image of a request and a filter.
  /// - Returns: whether the cache had it.
  @discardableResult
  func removeImage(for request: some ImageRequestIdentity, withIdentifier identifier: String?) -> Bool

  /// Removes all images of a request, with any filter. Requests whose URL only starts with this request's URL stay.
  /// - Returns: whether the cache had any.
  @discardableResult
  func removeImages(matching request: some ImageRequestIdentity) -> Bool

  /// Returns the image of a request and a filter; nil if the cache doesn't have it.
  func image(for request: some ImageRequestIdentity, withIdentifier identifier: String?) -> VipsImage?
}
