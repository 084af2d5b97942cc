/// A table from hashes to values that takes an eighth more than their bytes at most.
///
/// A dictionary has room for up to three times its entries, which counts where there are millions. Here the hashes are sorted, in
/// pages by their first bits: a lookup is a binary search, and an insertion moves half a page. The hashes must be spread evenly.
package struct HashTable<Value: BitwiseCopyable & Sendable>: Sendable {
  private struct Page {
    var hashes: [UInt64] = []
    var values: [Value] = []

    /// The position of a hash, or the one at which it belongs.
    func position(of hash: UInt64) -> (index: Int, isFound: Bool) {
      var (low, high) = (0, hashes.count)
      while low < high {
        let middle = (low + high) / 2
        if hashes[middle] < hash { low = middle + 1 } else { high = middle }
      }
      return (low, low < hashes.count && hashes[low] == hash)
    }

    mutating func insert(_ hash: UInt64, _ value: Value, at index: Int) {
      // An array would double its capacity.
      if hashes.count == min(hashes.capacity, values.capacity) {
        let capacity = hashes.count + max(8, hashes.count / 8)
        hashes.reserveCapacity(capacity)
        values.reserveCapacity(capacity)
      }
      hashes.insert(hash, at: index)
      values.insert(value, at: index)
    }
  }

  /// At a million entries a page has a thousand.
  private static var pageBits: Int { 10 }

  private var pages = [Page](repeating: Page(), count: 1 << Self.pageBits)
  package private(set) var count = 0

  /// Makes an empty table.
  package init() {}

  private static func page(of hash: UInt64) -> Int { Int(hash >> UInt64(64 - pageBits)) }

  /// The value of a hash; nil if there is none.
  package subscript(hash: UInt64) -> Value? {
    let page = pages[Self.page(of: hash)]
    let place = page.position(of: hash)
    return place.isFound ? page.values[place.index] : nil
  }

  /// Adds a value if its hash has none yet.
  /// - Returns: The value that the hash had before; nil if the new one was added.
  package mutating func insert(_ value: Value, for hash: UInt64) -> Value? {
    let number = Self.page(of: hash)
    let place = pages[number].position(of: hash)
    if place.isFound { return pages[number].values[place.index] }
    pages[number].insert(hash, value, at: place.index)
    count += 1
    return nil
  }

  /// Removes the hashes that don't match.
  package mutating func filter(_ isIncluded: (UInt64) -> Bool) {
    for number in pages.indices {
      let page = pages[number]
      let kept = page.hashes.indices.filter { isIncluded(page.hashes[$0]) }
      pages[number] = Page(hashes: kept.map { page.hashes[$0] }, values: kept.map { page.values[$0] })
    }
    count = pages.reduce(0) { $0 + $1.hashes.count }
  }
}
