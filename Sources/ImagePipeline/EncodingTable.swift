import struct FoundationEssentials.Data
import ImageCaches
import ImageRendering
import Vips

/// The encodings in flight, who waits for them, and the bytes that are kept. A pure value, like ``LoadTable``.
///
/// Kept bytes may outlive their image in the memory cache, but are never older than it: a rendering of another version
/// and a removal drop the bytes of the image before. Calls may be under way with that image, and would add its bytes
/// afterwards. `begin` and `end` count these calls, and `latest` is the image whose bytes they may add.
struct EncodingTable: Sendable {
  typealias Outcome = Result<Data, ImageError>

  struct Waiter: Sendable {
    let receipt: ImageReceipt
    let completion: @Sendable (Outcome) -> Void
  }

  /// One encoding of one image.
  struct Work: Hashable, Sendable {
    let key: EncodedBytes.Key
    let image: VipsImage
    let encoding: Encoding

    static func == (left: Self, right: Self) -> Bool {
      left.image === right.image && left.key == right.key && left.encoding == right.encoding
    }

    func hash(into hasher: inout Hasher) {
      hasher.combine(ObjectIdentifier(image))
      hasher.combine(key)
    }
  }

  /// What is done for a call that has its image.
  enum Step {
    case cancelled
    case found(Data)
    case joined
    case started
  }

  private enum Latest: Sendable {
    case any
    case image(VipsImage, EncodedBytes.Version)
    case removed

    func allows(_ image: VipsImage) -> Bool {
      switch self {
      case .any: true
      case .image(let latest, _): latest === image
      case .removed: false
      }
    }

    var version: EncodedBytes.Version? { if case .image(_, let version) = self { version } else { nil } }
  }

  private struct Flight: Sendable {
    var keeps: Bool
    var waiters: [Waiter]
  }

  private(set) var kept: EncodedBytes
  private var flights: [Work: Flight] = [:]
  private var calls: [EncodedBytes.Key: (count: Int, latest: Latest)] = [:]

  init(capacity: Int) { kept = EncodedBytes(capacity: capacity) }

  mutating func bytes(_ key: EncodedBytes.Key, _ encoding: Encoding) -> Data? { kept.bytes(key, encoding) }

  /// Counts a call that gets an image to encode it.
  mutating func begin(_ key: EncodedBytes.Key) { calls[key, default: (0, .any)].count += 1 }

  /// Ends a call that `begin` counted.
  mutating func end(_ key: EncodedBytes.Key) {
    calls[key]?.count -= 1
    if calls[key]?.count == 0 { calls[key] = nil }
  }

  /// Notes an image that replaces all earlier ones of its request and filters.
  mutating func rendered(_ key: EncodedBytes.Key, _ image: VipsImage, version: EncodedBytes.Version) {
    kept.remove(key, unless: version)
    calls[key]?.latest = .image(image, version)
  }

  /// Drops the bytes of a request's images.
  /// - Returns: Whether any were kept.
  mutating func removeAll(request: String) -> Bool {
    for key in calls.keys where key.request == request { calls[key]?.latest = .removed }
    return kept.removeAll(request: request)
  }

  mutating func handle(_ pressure: AutoPurgingImageCache.MemoryPressure) { kept.handle(pressure) }

  /// Adds a waiter.
  /// - Parameters:
  ///   - work: The encoding that it waits for.
  ///   - keeps: Whether the bytes may be kept in memory for its request.
  /// - Returns: Whether the encoding is new, and is to be started.
  mutating func join(_ waiter: Waiter, _ work: Work, keeps: Bool) -> Bool {
    let isNew = flights[work] == nil
    if isNew { begin(work.key) }
    flights[work, default: Flight(keeps: false, waiters: [])].waiters.append(waiter)
    if keeps { flights[work]?.keeps = true }
    return isNew
  }

  /// Ends an encoding, and keeps its bytes unless a newer image has replaced theirs.
  mutating func finish(_ work: Work, _ outcome: Outcome) -> [Waiter] {
    guard let flight = flights.removeValue(forKey: work) else { return [] }
    let latest = calls[work.key]?.latest ?? .any
    if case .success(let bytes) = outcome, flight.keeps, latest.allows(work.image) {
      kept.add(bytes, work.key, work.encoding, version: latest.version)
    }
    end(work.key)
    return flight.waiters
  }

  /// Removes a waiter. The encoding completes for the memory cache.
  mutating func cancel(_ receipt: ImageReceipt) -> Waiter? {
    for (work, flight) in flights where flight.waiters.contains(where: { $0.receipt == receipt }) {
      guard let index = flight.waiters.firstIndex(where: { $0.receipt == receipt }) else { continue }
      return flights[work]?.waiters.remove(at: index)
    }
    return nil
  }

  /// The receipts of all waiters that match.
  func receipts(where matches: (ImageReceipt) -> Bool) -> [ImageReceipt] {
    flights.values.flatMap { $0.waiters.map(\.receipt) }.filter(matches)
  }
}
