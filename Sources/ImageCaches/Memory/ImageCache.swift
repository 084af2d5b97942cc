public import Vips

/// A cache of images by identifier (AlamofireImage's `ImageCache`).
public protocol ImageCache: Sendable {
  /// Adds an image.
  /// - Parameters:
  ///   - image: The image, which replaces one with the same identifier.
  ///   - identifier: The key of the image.
  func add(_ image: VipsImage, withIdentifier identifier: String)

  /// Removes an image.
  /// - Parameter identifier: The key of the image.
  /// - Returns: Whether the cache had it.
  @discardableResult
  func removeImage(withIdentifier identifier: String) -> Bool

  /// Removes all images.
  /// - Returns: Whether the cache had any.
  @discardableResult
  func removeAllImages() -> Bool

  /// Finds an image.
  /// - Parameter identifier: The key of the image.
  /// - Returns: nil if the cache doesn't have it.
  func image(withIdentifier identifier: String) -> VipsImage?
}

/// A request that a cache can identify by its URL.
public protocol ImageRequestIdentity: Sendable {
  /// The absolute URL, with its query; the key of the request.
  var absoluteURL: String { get }
}

/// A cache of images by request and applied filter (AlamofireImage's `ImageRequestCache`).
public protocol ImageRequestCache: ImageCache {
  /// Adds the image of a request.
  /// - Parameters:
  ///   - image: The image, which replaces one with the same request and identifier.
  ///   - request: The request, identified by its absolute URL.
  ///   - identifier: The identifier of the applied filter; nil for the unfiltered image.
  func add(_ image: VipsImage, for request: some ImageRequestIdentity, withIdentifier identifier: String?)

  /// Removes the image of a request and a filter.
  /// - Parameters:
  ///   - request: The request, identified by its absolute URL.
  ///   - identifier: The identifier of the applied filter; nil for the unfiltered image.
  /// - Returns: Whether the cache had it.
  @discardableResult
  func removeImage(for request: some ImageRequestIdentity, withIdentifier identifier: String?) -> Bool

  /// Removes all images of a request, with any filter. Requests whose URL only starts with this request's URL
  /// stay.
  /// - Parameter request: The request, identified by its absolute URL.
  /// - Returns: Whether the cache had any.
  @discardableResult
  func removeImages(matching request: some ImageRequestIdentity) -> Bool

  /// Finds the image of a request and a filter.
  /// - Parameters:
  ///   - request: The request, identified by its absolute URL.
  ///   - identifier: The identifier of the applied filter; nil for the unfiltered image.
  /// - Returns: nil if the cache doesn't have it.
  func image(for request: some ImageRequestIdentity, withIdentifier identifier: String?) -> VipsImage?
}
