import struct FoundationEssentials.Data
import ImageCaches
import ImageRendering

/// Encoded images in memory, within a number of bytes. The least recently used ones are removed first.
struct EncodedBytes: Sendable {
  /// The image that bytes were encoded from.
  struct Key: Hashable, Sendable {
    /// `MemoryIdentity.absoluteURL`.
    let request: String
    /// The identifier of the filters.
    let identifier: String
  }

  /// The digests of the source and of the images that filters refer to. Renderings of equal versions are equal.
  typealias Version = [ContentDigest]

  private struct Entry {
    let bytes: Data
    var lastUse: UInt64
  }

  private struct Encodings {
    /// nil if the image was rendered before the first call for its bytes.
    var version: Version?
    var entries: [Encoding: Entry] = [:]
  }

  /// The bytes that an entry counts besides its own, so that many tiny images stay within the capacity too.
  static let overhead = 1000

  let capacity: Int
  private(set) var usage = 0
  /// By image first, because a newer image removes all encodings of the older one.
  private var images: [Key: Encodings] = [:]
  private var clock: UInt64 = 0

  init(capacity: Int) { self.capacity = capacity }

  /// Finds bytes. Finding them counts as a use.
  mutating func bytes(_ key: Key, _ encoding: Encoding) -> Data? {
    // By index, because an encoding is hashed with all its options.
    guard let image = images.index(forKey: key),
      let entry = images.values[image].entries.index(forKey: encoding)
    else { return nil }
    clock += 1
    images.values[image].entries.values[entry].lastUse = clock
    return images.values[image].entries.values[entry].bytes
  }

  /// Adds bytes, and purges to 60 % of the capacity if they exceed it.
  mutating func add(_ bytes: Data, _ key: Key, _ encoding: Encoding, version: Version? = nil) {
    remove(key, encoding)
    clock += 1
    images[key, default: Encodings()].entries[encoding] = Entry(bytes: bytes, lastUse: clock)
    if let version { images[key]?.version = version }
    usage += bytes.count + Self.overhead
    if usage > capacity { purge(to: capacity / 10 * 6) }
  }

  /// Removes all encodings of an image, unless they were made of an equal one.
  mutating func remove(_ key: Key, unless version: Version? = nil) {
    if let version, images[key]?.version == version { return }
    guard let encodings = images.removeValue(forKey: key) else { return }
    for entry in encodings.entries.values { release(entry) }
  }

  /// Removes the encodings of all images of a request.
  /// - Returns: Whether there were any.
  mutating func removeAll(request: String) -> Bool {
    let matching = images.keys.filter { $0.request == request }
    for key in matching { remove(key) }
    return !matching.isEmpty
  }

  mutating func removeAll() {
    images = [:]
    usage = 0
  }

  /// Removes the least recently used bytes until no more than `preferred` are left.
  mutating func purge(to preferred: Int) {
    let all = images.flatMap { key, encodings in
      encodings.entries.map { (key: key, encoding: $0.key, lastUse: $0.value.lastUse) }
    }
    for entry in all.sorted(by: { $0.lastUse < $1.lastUse }) {
      if usage <= preferred { return }
      remove(entry.key, entry.encoding)
    }
  }

  /// Does what `AutoPurgingImageCache` does at this pressure.
  mutating func handle(_ pressure: AutoPurgingImageCache.MemoryPressure) {
    switch pressure {
    case .warning: purge(to: capacity / 10 * 6)
    case .critical: removeAll()
    }
  }

  private mutating func remove(_ key: Key, _ encoding: Encoding) {
    guard let entry = images[key]?.entries.removeValue(forKey: encoding) else { return }
    release(entry)
    if images[key]?.entries.isEmpty == true { images[key] = nil }
  }

  private mutating func release(_ entry: Entry) { usage -= entry.bytes.count + Self.overhead }
}
