import ImageCaches
import Synchronization
import ImageRendering

/// The renditions in the disk store.
///
/// They take at most a quarter of the store's capacity, beyond which they would only evict each other. When the store
/// is full, they are evicted first.
final class RenditionCache: Sendable {
  private let store: DiskStore
  private let policy: RenditionPolicy
  private let capacity: Int
  /// The total size of renditions in bytes; nil until it is first needed.
  private let usage = Mutex<Int?>(nil)

  init(store: DiskStore, policy: RenditionPolicy) {
    self.store = store
    self.policy = policy
    capacity = store.capacity / 4
  }

  /// The stored renditions and new files of one request. They exist as long as the lease.
  struct Lease: Sendable {
    var plan = RenditionPlan()
    fileprivate var objects: [StoredObject] = []
    fileprivate var files: [TemporaryPath] = []
  }

  /// Finds stored renditions for a request and creates files for new ones.
  /// - Parameters:
  ///   - force: Whether to ignore stored renditions.
  func lease(for request: RenderRequest, force: Bool) throws(CacheError) -> Lease {
    var lease = Lease()
    guard policy != .never else { return lease }
    lease.plan.policy = policy
    // The source's header, recorded by an earlier run. Without it, no rendition is found.
    if !force,
      let facts = try store.rows(of: SourceFacts.self, forKeys: [request.sourceDigest]).values.first,
      let shape = SourceShape(facts)
    {
      for (key, object) in try Self.stored(Self.keys(of: request, shape), in: store) {
        lease.objects.append(object)
        lease.plan.stored[key] = object.path
      }
    }
    guard try hasRoom() else { return lease }
    let nodes = RenderTree.roots(of: request) { DecodeRequirements(request.recipes[$0]) }.flatMap(\.node.all)
    for _ in nodes.filter(\.isCandidate) {
      let file = try store.makeTemporaryPath()
      lease.files.append(file)
      lease.plan.files.append(file.path)
    }
    return lease
  }

  /// The keys of all renditions that a request goes through.
  static func keys(of request: RenderRequest, _ shape: SourceShape) -> [ContentDigest] {
    // A recipe that fails a check has no rendition; rendering reports the error.
    let roots = RenderTree.roots(of: request) {
      try? DecodeOptions(for: request.recipes[$0], of: shape, within: request.limits)
    }
    return Array(Set(roots.flatMap(\.node.all).compactMap(\.key)))
  }

  /// The stored renditions with the given keys.
  static func stored(
    _ keys: [ContentDigest], in store: DiskStore
  ) throws(CacheError) -> [ContentDigest: StoredObject] {
    var found: [ContentDigest: StoredObject] = [:]
    for (key, rendition) in try store.rows(of: StoredRendition.self, forKeys: keys) {
      if let object = try store.object(rendition.digest) { found[key] = object }
    }
    return found
  }

  /// The renditions that a worker has written, by keys of the request's own source: one that was taken over could name keys of
  /// other sources.
  static func renditions(of response: RenderResponse, to request: RenderRequest) -> [KeptRendition] {
    guard let shape = response.source.flatMap({ SourceShape($0) }) else { return [] }
    let keys = Set(keys(of: request, shape))
    return response.renditions.filter { keys.contains($0.key) }
  }

  /// Stores the renditions that a request has written to its lease's files.
  func keep(_ renditions: [KeptRendition], of lease: Lease) throws(CacheError) {
    var records: [ContentDigest: StoredRendition] = [:]
    for rendition in renditions {
      guard let file = lease.files.first(where: { $0.path == rendition.path }) else { continue }
      _ = try store.insert(file, digest: rendition.digest, as: .rendition)
      usage.withLock { $0 = $0.map { $0 + rendition.bytes } }
      records[rendition.key] = StoredRendition(
        digest: rendition.digest, bytes: rendition.bytes, seconds: rendition.seconds)
    }
    try store.record(records)
  }

  private func hasRoom() throws(CacheError) -> Bool {
    // What this process has added is known; what purges have removed isn't, so that "full" is asked again.
    if let usage = usage.withLock(\.self), usage < capacity { return true }
    let used = try store.renditionBytes()
    usage.withLock { $0 = used }
    return used < capacity
  }
}
