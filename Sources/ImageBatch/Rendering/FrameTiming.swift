/// The times of an animation's frames.
enum FrameTiming {
  /// Milliseconds as GIF can hold them, in hundredths of a second: each is rounded so that the sum stays what it was.
  ///
  /// Viewers show frames of one hundredth much longer, so that two are the least for what was more than one.
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
