import ImageCaches
import Synchronization

/// The renditions in the disk store: which are at hand for a request, and which it may add.
///
/// They take a quarter of the store's capacity at most; more would only push each other out. When the store is full
/// they are the first to go.
final class RenditionShelf: Sendable {
  private let store: DiskStore
  private let policy: RenditionPolicy
  private let capacity: Int
  /// The bytes that renditions take; nil until it has been asked for.
  private let usage = Mutex<Int?>(nil)

  init(store: DiskStore, policy: RenditionPolicy) {
    self.store = store
    self.policy = policy
    capacity = store.capacity / 4
  }

  /// What a request is given: files that stay where they are, and new ones, as long as this lives.
  struct Loan: Sendable {
    var plan = RenditionPlan()
    fileprivate var objects: [StoredObject] = []
    fileprivate var files: [TemporaryPath] = []
  }

  /// Finds what the store has for a request, and makes files for what it may leave.
  /// - Parameters:
  ///   - facts: What the source's header said in an earlier run: without it nothing can be found.
  ///   - force: Whether nothing stored is to be used.
  func loan(for request: RenderRequest, facts: SourceFacts?, force: Bool) throws(CacheError) -> Loan {
    var loan = Loan()
    guard policy != .never else { return loan }
    loan.plan.policy = policy
    if !force, let shape = facts.flatMap(SourceShape.init) {
      for (key, rendition) in try store.rows(
        of: StoredRendition.self, forKeys: Self.keys(of: request, shape))
      {
        guard let object = try store.object(rendition.digest) else { continue }
        loan.objects.append(object)
        loan.plan.stored[key] = object.path
      }
    }
    guard try hasRoom() else { return loan }
    let nodes = RenderTree.roots(of: request) { DecodeWish(request.recipes[$0]) }.flatMap(\.node.all)
    for _ in nodes.filter(\.isCandidate) {
      let file = try store.makeTemporaryPath()
      loan.files.append(file)
      loan.plan.files.append(file.path)
    }
    return loan
  }

  /// The keys of the renditions on a request's way.
  static func keys(of request: RenderRequest, _ shape: SourceShape) -> [ContentDigest] {
    // What can't be decoded as it is wanted has no rendition; the rendering says why.
    let roots = RenderTree.roots(of: request) {
      try? DecodeOptions(for: request.recipes[$0], of: shape, within: request.limits)
    }
    return Array(Set(roots.flatMap(\.node.all).compactMap(\.key)))
  }

  /// Takes in what a request has written into its loan's files.
  func keep(_ renditions: [KeptRendition], of loan: Loan) throws(CacheError) {
    var records: [ContentDigest: StoredRendition] = [:]
    for rendition in renditions {
      guard let file = loan.files.first(where: { $0.path == rendition.path }) else { continue }
      _ = try store.insert(file, digest: rendition.digest, as: .rendition)
      usage.withLock { $0 = $0.map { $0 + rendition.bytes } }
      records[rendition.key] = StoredRendition(
        digest: rendition.digest, bytes: rendition.bytes, seconds: rendition.seconds)
    }
    try store.record(records)
  }

  private func hasRoom() throws(CacheError) -> Bool {
    if let usage = usage.withLock(\.self) { return usage < capacity }
    let used = try store.renditionBytes()
    usage.withLock { $0 = used }
    return used < capacity
  }
}
