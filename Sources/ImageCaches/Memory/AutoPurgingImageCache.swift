import Synchronization
public import Vips

/// A memory cache that removes the least recently used images when they exceed its capacity (AlamofireImage's
/// `AutoPurgingImageCache`).
///
/// It calls ``handleMemoryPressure(_:)`` when Linux reports memory pressure, like AlamofireImage's cache on memory
/// warnings. All methods are thread-safe and synchronous.
public final class AutoPurgingImageCache: ImageRequestCache {
  /// The degree of memory pressure on the machine or the control group.
  public enum MemoryPressure: Sendable {
    /// Little memory is left: the cache shrinks to its preferred usage.
    case warning
    /// No memory is left: the cache is emptied.
    case critical
  }

  /// The reason that a cache can't be created.
  public enum ConfigurationError: Error, Sendable, CustomStringConvertible {
    /// The capacity is less than the preferred usage after a purge.
    case capacityBelowPreferredUsage

    /// The text of AlamofireImage's precondition.
    public var description: String {
      "The `memoryCapacity` must be greater than or equal to `preferredMemoryUsageAfterPurge`"
    }
  }

  /// The usage, in bytes, above which a purge starts.
  public let memoryCapacity: UInt64
  /// The usage, in bytes, at which a purge ends.
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
    /// A counter that orders the entries by their last use.
    var clock: UInt64 = 0
  }

  private let state = Mutex(State())
  /// Set at the end of `init`, because the monitor calls the cache.
  private let monitor = Mutex<MemoryPressureMonitor?>(nil)

  /// Creates a cache of 100 MB, with a preferred usage of 60 MB, that monitors the memory pressure of this process's control
  /// group and of the machine.
  public convenience init() {
    self.init(capacity: 100_000_000, preferred: 60_000_000, places: .ofThisProcess)
  }

  /// Creates a cache that monitors the memory pressure of this process's control group and of the machine.
  /// - Parameters:
  ///   - memoryCapacity: The usage, in bytes, above which a purge starts. Default: 100 MB.
  ///   - preferredMemoryUsageAfterPurge: The usage, in bytes, at which a purge ends. Default: 60 MB.
  /// - Throws: `ConfigurationError` if the preferred usage exceeds the capacity.
  public convenience init(
    memoryCapacity: UInt64 = 100_000_000, preferredMemoryUsageAfterPurge: UInt64 = 60_000_000
  ) throws(ConfigurationError) {
    try self.init(
      memoryCapacity: memoryCapacity, preferredMemoryUsageAfterPurge: preferredMemoryUsageAfterPurge,
      places: .ofThisProcess)
  }

  /// Creates a cache that monitors the given files.
  convenience init(
    memoryCapacity: UInt64, preferredMemoryUsageAfterPurge: UInt64, places: MemoryPressurePlaces
  ) throws(ConfigurationError) {
    guard memoryCapacity >= preferredMemoryUsageAfterPurge else { throw .capacityBelowPreferredUsage }
    self.init(capacity: memoryCapacity, preferred: preferredMemoryUsageAfterPurge, places: places)
  }

  private init(capacity: UInt64, preferred: UInt64, places: MemoryPressurePlaces) {
    memoryCapacity = capacity
    preferredMemoryUsageAfterPurge = preferred
    monitor.withLock { monitor in
      monitor = MemoryPressureMonitor(places: places) { [weak self] in self?.handleMemoryPressure($0) }
    }
  }

  /// Whether the kernel reports memory pressure to this cache.
  public var listensForMemoryPressure: Bool { monitor.withLock { $0?.isWatching ?? false } }

  /// The nominal size of the images in bytes: four bytes per pixel, like AlamofireImage.
  public var memoryUsage: UInt64 { state.withLock { $0.nominalUsage } }

  /// The real size of the images in bytes: all frames, with their bands and sample sizes.
  public var realMemoryUsage: UInt64 { state.withLock { $0.realUsage } }

  /// The number of images in the cache.
  public var count: Int { state.withLock { $0.entries.count } }

  // MARK: By identifier

  /// Adds an image, which replaces one with the same identifier.
  ///
  /// If the larger of the two usages exceeds the capacity, the least recently used images are removed; an
  /// image larger than the capacity isn't kept.
  /// - Parameters:
  ///   - image: The image. The cache holds a reference; pixels that aren't computed yet count as if they
  ///     were.
  ///   - identifier: The key of the image.
  public func add(_ image: VipsImage, withIdentifier identifier: String) {
    add(image, withIdentifier: identifier, request: nil)
  }

  /// Removes an image.
  /// - Parameter identifier: The key of the image.
  /// - Returns: Whether the cache had it.
  @discardableResult
  public func removeImage(withIdentifier identifier: String) -> Bool {
    state.withLock { $0.remove(identifier) }
  }

  /// Removes all images.
  /// - Returns: Whether the cache had any.
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

  /// Finds an image. Finding it counts as a use.
  /// - Parameter identifier: The key of the image.
  /// - Returns: nil if the cache doesn't have it.
  public func image(withIdentifier identifier: String) -> VipsImage? {
    state.withLock { state in
      let now = state.tick()
      state.entries[identifier]?.lastUse = now
      return state.entries[identifier]?.image
    }
  }

  // MARK: By request

  /// Adds the image of a request.
  /// - Parameters:
  ///   - image: The image, which replaces one with the same request and identifier.
  ///   - request: The request, identified by its absolute URL.
  ///   - identifier: The identifier of the applied filter; nil for the unfiltered image. Default: nil.
  public func add(
    _ image: VipsImage, for request: some ImageRequestIdentity, withIdentifier identifier: String? = nil
  ) {
    add(image, withIdentifier: Self.key(request, identifier), request: request.absoluteURL)
  }

  /// Removes the image of a request and a filter.
  /// - Parameters:
  ///   - request: The request, identified by its absolute URL.
  ///   - identifier: The identifier of the applied filter; nil for the unfiltered image. Default: nil.
  /// - Returns: Whether the cache had it.
  @discardableResult
  public func removeImage(
    for request: some ImageRequestIdentity, withIdentifier identifier: String? = nil
  ) -> Bool {
    removeImage(withIdentifier: Self.key(request, identifier))
  }

  /// Removes all images of a request, with any filter.
  /// - Parameter request: The request, identified by its absolute URL.
  /// - Returns: Whether the cache had any.
  @discardableResult
  public func removeImages(matching request: some ImageRequestIdentity) -> Bool {
    state.withLock { state in
      let matching = state.entries.filter { $0.value.request == request.absoluteURL }.map(\.key)
      for key in matching { state.remove(key) }
      return !matching.isEmpty
    }
  }

  /// Finds the image of a request and a filter. Finding it counts as a use.
  /// - Parameters:
  ///   - request: The request, identified by its absolute URL.
  ///   - identifier: The identifier of the applied filter; nil for the unfiltered image. Default: nil.
  /// - Returns: nil if the cache doesn't have it.
  public func image(
    for request: some ImageRequestIdentity, withIdentifier identifier: String? = nil
  ) -> VipsImage? {
    image(withIdentifier: Self.key(request, identifier))
  }

  // MARK: Memory

  /// Removes images: down to ``preferredMemoryUsageAfterPurge`` at a warning, all of them at critical
  /// pressure.
  ///
  /// Called when Linux reports pressure; programs with other sources of information may call it too.
  /// - Parameter pressure: The degree of pressure.
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

  /// A key starts with the URL's length, so that different pairs of URL and identifier have different keys.
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
