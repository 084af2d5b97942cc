import Dispatch
import Synchronization

/// A range that is worked on by as many threads as there are processors.
package enum Parts {
  /// Divides `0..<count` into equal parts, one for each processor, and calls `body` for all of them at once.
  /// - Parameters:
  ///   - count: The number of elements.
  ///   - fewest: The fewest elements that are divided. The threads' start takes as long as some dozens of them may.
  ///   - body: Called with each part.
  /// - Returns: The results, in the order of the parts; nil for a range that isn't divided.
  package static func each<Result: Sendable>(
    of count: Int, from fewest: Int, _ body: @Sendable (_ part: Range<Int>, _ parts: Int) -> Result
  ) -> [Result]? {
    let parts = Machine.availableProcessors
    guard count >= fewest, parts > 1 else { return nil }
    let results = Mutex<[Int: Result]>([:])
    DispatchQueue.concurrentPerform(iterations: parts) { number in
      let result = body(count * number / parts..<count * (number + 1) / parts, parts)
      results.withLock { $0[number] = result }
    }
    return results.withLock { $0.sorted { $0.key < $1.key }.map(\.value) }
  }
}
