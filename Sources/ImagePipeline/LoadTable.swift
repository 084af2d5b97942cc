import ImageDownloads
import Vips

/// What makes two calls one load: the request and the filters.
struct LoadKey: Hashable, Sendable {
  let request: ImageRequest
  let identifier: String
}

/// The loads in flight, and who waits for them. A pure value: the pipeline performs what its methods return.
///
/// | state | event | next state |
/// | --- | --- | --- |
/// | – | `join` | `downloading` |
/// | `downloading` | `downloaded` | `waiting` for a rendering thread |
/// | `waiting` | `startRendering` | `rendering` |
/// | `downloading`, `waiting` | the last waiter leaves | –; the download's receipt is cancelled |
/// | `rendering` | the last waiter leaves | `rendering`: the image is for the memory cache |
/// | any | `finish` | – |
///
/// A load that was dropped and begun again has another number, so that what the old one does late has no effect.
struct LoadTable: Sendable {
  typealias Outcome = Result<VipsImage, ImageError>

  struct Waiter: Sendable {
    let receipt: ImageReceipt
    let progress: (@Sendable (Int, Int?) -> Void)?
    let completion: @Sendable (Outcome) -> Void
  }

  private enum State: Sendable {
    case downloading(RequestReceipt?)
    case waiting
    case rendering
  }

  private struct Load: Sendable {
    let number: Int
    var state = State.downloading(nil)
    var waiters: [Waiter]
  }

  private var loads: [LoadKey: Load] = [:]
  private var lastNumber = 0
  private(set) var joinedCount = 0

  var isEmpty: Bool { loads.isEmpty }

  /// Whether the key is in flight.
  func has(_ key: LoadKey) -> Bool { loads[key] != nil }

  /// Adds a waiter.
  /// - Returns: the number of a load that is to begin; nil if the waiter joined one.
  mutating func join(_ waiter: Waiter) -> Int? {
    let key = waiter.receipt.key
    if loads[key] != nil {
      loads[key]?.waiters.append(waiter)
      joinedCount += 1
      return nil
    }
    lastNumber += 1
    loads[key] = Load(number: lastNumber, waiters: [waiter])
    return lastNumber
  }

  /// Notes the receipt of a load's download.
  /// - Returns: Whether the load is still wanted; if not, the caller cancels the download.
  mutating func attach(_ receipt: RequestReceipt, to key: LoadKey, _ number: Int) -> Bool {
    guard loads[key]?.number == number else { return false }
    if case .downloading? = loads[key]?.state { loads[key]?.state = .downloading(receipt) }
    return true
  }

  /// - Returns: whether the load is still wanted.
  mutating func downloaded(_ key: LoadKey, _ number: Int) -> Bool {
    guard loads[key]?.number == number else { return false }
    loads[key]?.state = .waiting
    return true
  }

  /// - Returns: whether the load is still wanted.
  mutating func startRendering(_ key: LoadKey, _ number: Int) -> Bool {
    guard loads[key]?.number == number else { return false }
    loads[key]?.state = .rendering
    return true
  }

  /// Ends a load.
  /// - Returns: its waiters; nil if the load is gone.
  mutating func finish(_ key: LoadKey, _ number: Int) -> [Waiter]? {
    guard loads[key]?.number == number else { return nil }
    return loads.removeValue(forKey: key)?.waiters
  }

  func progressHandlers(_ key: LoadKey, _ number: Int) -> [@Sendable (Int, Int?) -> Void] {
    guard let load = loads[key], load.number == number else { return [] }
    return load.waiters.compactMap(\.progress)
  }

  /// Removes a waiter.
  /// - Returns: The waiter, and the download if no other waiter is left; nil if the receipt doesn't wait.
  mutating func cancel(_ receipt: ImageReceipt) -> (Waiter, RequestReceipt?)? {
    let key = receipt.key
    guard let load = loads[key], let index = load.waiters.firstIndex(where: { $0.receipt == receipt }) else {
      return nil
    }
    loads[key]?.waiters.remove(at: index)
    guard load.waiters.count == 1 else { return (load.waiters[index], nil) }
    switch load.state {
    case .downloading(let download):
      loads[key] = nil
      return (load.waiters[index], download)
    case .waiting:
      loads[key] = nil
      return (load.waiters[index], nil)
    case .rendering: return (load.waiters[index], nil)
    }
  }

  /// The receipts of all waiters that match.
  func receipts(where matches: (ImageReceipt) -> Bool) -> [ImageReceipt] {
    loads.values.flatMap { $0.waiters.map(\.receipt) }.filter(matches)
  }
}
