import Synchronization
public import Vips

/// Images in memory, the least recently used of which go when they take more than the capacity (AlamofireImage's
/// `AutoPurgingImageCache`, with its two numbers).
///
/// It listens for memory pressure by itself, as AlamofireImage's does for memory warnings: where Linux tells of it,
/// ``handleMemoryPressure(_:)`` is called without further ado.
///
/// Every function may be called from any thread, and has done its work when it returns.
public final class AutoPurgingImageCache: ImageRequestCache {
  /// How much memory the system has left.
  public enum MemoryPressure: Sendable {
    /// Little: the cache shrinks to what it prefers.
    case warning
    /// None: the cache is emptied.
    case critical
  }

  /// Why a cache can't be made.
  public enum ConfigurationError: Error, Sendable, CustomStringConvertible {
    /// The capacity is less than what is preferred after a purge.
    case capacityBelowPreferredUsage

    /// What AlamofireImage says.
    public var description: String {
      "The `memoryCapacity` must be greater than or equal to `preferredMemoryUsageAfterPurge`"
    }
  }

  /// In bytes: more than this starts a purge.
  public let memoryCapacity: UInt64
  /// In bytes: a purge ends when no more than this is used.
  public let preferredMemoryUsageAfterPurge: UInt64

  fileprivate struct Entry {
    let image: VipsImage
    let request: String?
    let nominalBytes: UInt64
    let realBytes: UInt64
    var lastUse: UInt64
  }

  fileprivate struct State {
    var entries: [String: Entry] = [:]
    var nominalUsage: UInt64 = 0
    var realUsage: UInt64 = 0
    /// Counts uses: of two entries, the one used earlier has the lower number. Never two alike.
    var clock: UInt64 = 0
  }

  private let state = Mutex(State())
  /// Set once, when there is a cache to call.
  private let monitor = Mutex<MemoryPressureMonitor?>(nil)

  /// A cache that listens for memory pressure in this process's control group and in the machine.
  /// - Parameters:
  ///   - memoryCapacity: bytes; more starts a purge (default: 100 MB).
  ///   - preferredMemoryUsageAfterPurge: bytes at which a purge ends (default: 60 MB). No more than `memoryCapacity`.
  public convenience init(
    memoryCapacity: UInt64 = 100_000_000, preferredMemoryUsageAfterPurge: UInt64 = 60_000_000
  ) throws(ConfigurationError) {
    try self.init(
      memoryCapacity: memoryCapacity, preferredMemoryUsageAfterPurge: preferredMemoryUsageAfterPurge,
      places: .ofThisProcess)
  }

  /// A cache that listens in certain places.
  init(
    memoryCapacity: UInt64, preferredMemoryUsageAfterPurge: UInt64, places: MemoryPressurePlaces
  ) throws(ConfigurationError) {
    guard memoryCapacity >= preferredMemoryUsageAfterPurge else { throw .capacityBelowPreferredUsage }
    self.memoryCapacity = memoryCapacity
    self.preferredMemoryUsageAfterPurge = preferredMemoryUsageAfterPurge
    monitor.withLock { monitor in
      monitor = MemoryPressureMonitor(places: places) { [weak self] in self?.handleMemoryPressure($0) }
    }
  }

  /// Whether the kernel tells this cache of memory pressure.
  public var listensForMemoryPressure: Bool { monitor.withLock { $0?.isWatching ?? false } }

  /// The sum of the images' nominal sizes: four bytes for each pixel, as AlamofireImage counts.
  public var memoryUsage: UInt64 { state.withLock { $0.nominalUsage } }

  /// The sum of the bytes that the images' pixels take: bands and bytes a sample as they are, all frames.
  public var realMemoryUsage: UInt64 { state.withLock { $0.realUsage } }

  /// How many images there are.
  public var count: Int { state.withLock { $0.entries.count } }

  // MARK: By identifier

  /// Adds an image; one of the same identifier is replaced. What was used least recently goes if there is too much;
  /// an image that is larger than the capacity goes with the rest.
  public func add(_ image: VipsImage, withIdentifier identifier: String) {
    add(image, withIdentifier: identifier, request: nil)
  }

  /// Removes an image. Returns whether there was one.
  @discardableResult
  public func removeImage(withIdentifier identifier: String) -> Bool {
    state.withLock { $0.remove(identifier) }
  }

  /// Removes every image. Returns whether there was any.
  @discardableResult
  public func removeAllImages() -> Bool {
    state.withLock { state in
      let hadAny = !state.entries.isEmpty
      state.entries = [:]
      state.nominalUsage = 0
      state.realUsage = 0
      return hadAny
    }
  }

  /// The image, if it is there. It counts as used.
  public func image(withIdentifier identifier: String) -> VipsImage? {
    state.withLock { state in
      let now = state.tick()
      state.entries[identifier]?.lastUse = now
      return state.entries[identifier]?.image
    }
  }

  // MARK: By request

  /// Adds the image that `request` gave, with the filter `identifier` applied.
  public func add(
    _ image: VipsImage, for request: some ImageRequestIdentity, withIdentifier identifier: String? = nil
  ) {
    add(image, withIdentifier: Self.key(request, identifier), request: request.absoluteURL)
  }

  /// Removes the image of a request and a filter. Returns whether there was one.
  @discardableResult
  public func removeImage(
    for request: some ImageRequestIdentity, withIdentifier identifier: String? = nil
  ) -> Bool {
    removeImage(withIdentifier: Self.key(request, identifier))
  }

  /// Removes a request's images, whatever filter was applied. Returns whether there was any.
  @discardableResult
  public func removeImages(matching request: some ImageRequestIdentity) -> Bool {
    state.withLock { state in
      let matching = state.entries.filter { $0.value.request == request.absoluteURL }.map(\.key)
      for key in matching { state.remove(key) }
      return !matching.isEmpty
    }
  }

  /// The image of a request and a filter, if it is there. It counts as used.
  public func image(
    for request: some ImageRequestIdentity, withIdentifier identifier: String? = nil
  ) -> VipsImage? {
    image(withIdentifier: Self.key(request, identifier))
  }

  // MARK: Memory

  /// Gives memory back: at a warning down to ``preferredMemoryUsageAfterPurge``, when it is critical all of it. It is
  /// called by itself where Linux tells of pressure, and may be called by whoever knows of some.
  public func handleMemoryPressure(_ pressure: MemoryPressure) {
    switch pressure {
    case .warning: state.withLock { $0.purge(to: preferredMemoryUsageAfterPurge) }
    case .critical: removeAllImages()
    }
  }

  private func add(_ image: VipsImage, withIdentifier identifier: String, request: String?) {
    state.withLock { state in
      state.remove(identifier)
      let entry = Entry(
        image: image, request: request, nominalBytes: UInt64(image.width) * UInt64(image.pageHeight) * 4,
        realBytes: UInt64(image.pixelBytes), lastUse: state.tick())
      state.entries[identifier] = entry
      state.nominalUsage += entry.nominalBytes
      state.realUsage += entry.realBytes
      if max(state.nominalUsage, state.realUsage) > memoryCapacity {
        state.purge(to: preferredMemoryUsageAfterPurge)
      }
    }
  }

  /// A length before the URL: no URL and identifier can be read as another pair.
  private static func key(_ request: some ImageRequestIdentity, _ identifier: String?) -> String {
    let url = request.absoluteURL
    return "\(url.utf8.count):\(url)" + (identifier.map { "-\($0)" } ?? "")
  }
}

extension AutoPurgingImageCache.State {
  fileprivate mutating func tick() -> UInt64 {
    clock += 1
    return clock
  }

  @discardableResult
  fileprivate mutating func remove(_ identifier: String) -> Bool {
    guard let entry = entries.removeValue(forKey: identifier) else { return false }
    nominalUsage -= entry.nominalBytes
    realUsage -= entry.realBytes
    return true
  }

  fileprivate mutating func purge(to preferred: UInt64) {
    for (identifier, _) in entries.sorted(by: { $0.value.lastUse < $1.value.lastUse }) {
      if max(nominalUsage, realUsage) <= preferred { return }
      remove(identifier)
    }
  }
}
