import ImageDownloads
import Vips

/// What makes two calls one load: the request, the downloader's credential at the time of the call, and the filters.
struct LoadKey: Hashable, Sendable {
  let request: ImageRequest
  let authentication: ImageDownloader.Authentication
  let identifier: String

  /// The request in the memory cache.
  var memoryIdentity: MemoryIdentity { MemoryIdentity(request, authentication) }

  /// The identifier in the memory cache, where nil is an image without filters.
  var memoryIdentifier: String? { identifier.isEmpty ? nil : identifier }
}

/// The loads in flight, and who waits for them. A pure value: the pipeline performs what its methods return.
///
/// | state | event | next state |
/// | --- | --- | --- |
/// | – | `join` | `downloading` |
/// | `downloading` | `join` with a higher priority | `downloading`, requested again: the downloader moves it up |
/// | `downloading` | `downloaded` | `waiting` for the chain's references and a rendering thread |
/// | `waiting` | `startRendering` | `rendering` |
/// | `downloading`, `waiting` | the last waiter leaves | –; its downloads are cancelled |
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

  /// What remains to be done when a waiter leaves.
  struct Cancellation {
    let waiter: Waiter
    /// The downloads that have no waiter left.
    var downloads: [RequestReceipt] = []
    /// The task that downloads references, if it has no waiter left.
    var references: Task<Void, Never>?
  }

  private enum State: Sendable {
    case downloading([RequestReceipt])
    case waiting(references: Task<Void, Never>?)
    case rendering
  }

  private struct Load: Sendable {
    let number: Int
    var priority: Int
    var state = State.downloading([])
    var waiters: [Waiter]
  }

  private var loads: [LoadKey: Load] = [:]
  private var lastNumber = 0
  private(set) var joinedCount = 0

  /// Whether a load is still wanted.
  func isWanted(_ key: LoadKey, _ number: Int) -> Bool { loads[key]?.number == number }

  /// Whether a load waits for its first download to be requested.
  func hasNoDownload(_ key: LoadKey, _ number: Int) -> Bool {
    guard isWanted(key, number), case .downloading(let receipts)? = loads[key]?.state else { return false }
    return receipts.isEmpty
  }

  /// Adds a waiter.
  /// - Returns: The number of the load whose download is to be requested: a new load, or one that a call with a higher
  ///   priority joins. Nil if there is nothing to request.
  mutating func join(_ waiter: Waiter, priority: Int) -> Int? {
    let key = waiter.receipt.key
    guard let load = loads[key] else {
      lastNumber += 1
      loads[key] = Load(number: lastNumber, priority: priority, waiters: [waiter])
      return lastNumber
    }
    loads[key]?.waiters.append(waiter)
    joinedCount += 1
    guard case .downloading = load.state, priority > load.priority else { return nil }
    loads[key]?.priority = priority
    return load.number
  }

  /// Notes the receipt of a load's download.
  /// - Returns: Whether the load is still wanted; if not, the caller cancels the download.
  mutating func attach(_ receipt: RequestReceipt, to key: LoadKey, _ number: Int) -> Bool {
    guard isWanted(key, number) else { return false }
    if case .downloading(let receipts)? = loads[key]?.state {
      loads[key]?.state = .downloading(receipts + [receipt])
    }
    return true
  }

  /// Notes the task that downloads a load's references.
  /// - Returns: Whether the load is still wanted; if not, the caller cancels the task.
  mutating func attach(_ references: Task<Void, Never>, to key: LoadKey, _ number: Int) -> Bool {
    guard isWanted(key, number) else { return false }
    // The task may have got as far as the rendering already.
    if case .waiting? = loads[key]?.state { loads[key]?.state = .waiting(references: references) }
    return true
  }

  /// - Returns: Whether the load goes on with these bytes: it is wanted, and no other of its downloads was first.
  mutating func downloaded(_ key: LoadKey, _ number: Int) -> Bool {
    guard isWanted(key, number), case .downloading? = loads[key]?.state else { return false }
    loads[key]?.state = .waiting(references: nil)
    return true
  }

  /// - Returns: Whether the load is still wanted.
  mutating func startRendering(_ key: LoadKey, _ number: Int) -> Bool {
    guard isWanted(key, number) else { return false }
    loads[key]?.state = .rendering
    return true
  }

  /// Ends a load.
  /// - Returns: Its waiters; nil if the load is gone.
  mutating func finish(_ key: LoadKey, _ number: Int) -> [Waiter]? {
    guard isWanted(key, number) else { return nil }
    return loads.removeValue(forKey: key)?.waiters
  }

  func progressHandlers(_ key: LoadKey, _ number: Int) -> [@Sendable (Int, Int?) -> Void] {
    guard let load = loads[key], load.number == number else { return [] }
    return load.waiters.compactMap(\.progress)
  }

  /// Removes a waiter.
  /// - Returns: The waiter, and the work that no other waiter needs; nil if the receipt doesn't wait.
  mutating func cancel(_ receipt: ImageReceipt) -> Cancellation? {
    let key = receipt.key
    guard let load = loads[key], let index = load.waiters.firstIndex(where: { $0.receipt == receipt }) else {
      return nil
    }
    loads[key]?.waiters.remove(at: index)
    var cancellation = Cancellation(waiter: load.waiters[index])
    guard load.waiters.count == 1 else { return cancellation }
    switch load.state {
    case .downloading(let receipts):
      loads[key] = nil
      cancellation.downloads = receipts
    case .waiting(let references):
      loads[key] = nil
      cancellation.references = references
    case .rendering: break
    }
    return cancellation
  }

  /// The receipts of all waiters that match.
  func receipts(where matches: (ImageReceipt) -> Bool) -> [ImageReceipt] {
    loads.values.flatMap { $0.waiters.map(\.receipt) }.filter(matches)
  }
}
