/// The delays of an animation's frames.
enum FrameTiming {
  /// Rounds delays in milliseconds to GIF's hundredths of a second, carrying the remainder so that the sum is kept.
  ///
  /// Viewers slow down frames of one hundredth, so that delays above 10 ms become at least 20 ms.
  static func hundredths(_ delays: [Int]) -> [Int] {
    var (wanted, given) = (0, 0)
    return delays.map { delay in
      wanted += delay
      let rounded = (wanted + 5) / 10 * 10 - given
      let result = max(delay > 10 ? 20 : 0, rounded)
      given += result
      return result
    }
  }
}
