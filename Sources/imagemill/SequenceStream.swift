/// The elements of a sequence that is at hand, one after the other.
struct SequenceStream<Base: Sequence & Sendable>: AsyncSequence, Sendable where Base.Element: Sendable {
  typealias Element = Base.Element
  typealias Failure = Never

  private let base: Base

  init(_ base: Base) { self.base = base }

  struct AsyncIterator: AsyncIteratorProtocol {
    fileprivate var iterator: Base.Iterator
    mutating func next() async -> Base.Element? { iterator.next() }
  }

  func makeAsyncIterator() -> AsyncIterator { AsyncIterator(iterator: base.makeIterator()) }
}
