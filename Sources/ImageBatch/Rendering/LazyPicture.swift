import ImageFilters

/// A picture that is made when somebody first wants it, once, and let go when the last one has it.
///
/// A picture that was kept for one filter would otherwise stay in memory until all that comes after it is written.
final class LazyPicture {
  private let make: () throws -> Intermediate
  private var made: Result<Intermediate, any Error>?
  private var consumers: Int

  /// - Parameter consumers: How many will take it at most.
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
