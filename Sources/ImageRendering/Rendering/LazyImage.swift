import ImageFilters

/// An image that is made once, on first use, and released when the last consumer has taken it.
///
/// Otherwise, pixels that were kept for one filter would stay in memory until all later outputs are written.
final class LazyImage {
  private let make: () throws -> Intermediate
  private var made: Result<Intermediate, any Error>?
  private var consumers: Int

  /// - Parameter consumers: The number of ``take()`` calls after which the image is released.
  init(consumers: Int, _ make: @escaping () throws -> Intermediate) {
    self.consumers = consumers
    self.make = make
  }

  func take() throws -> Intermediate {
    let result = made ?? Result { try make() }
    consumers -= 1
    made = consumers > 0 ? result : nil
    return try result.get()
  }
}
