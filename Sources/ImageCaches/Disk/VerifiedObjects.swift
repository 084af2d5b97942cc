/// The objects whose bytes this process has checked against their digest. A member needn't be checked again.
struct VerifiedObjects {
  private var digests: Set<ContentDigest> = []
  private let limit: Int

  /// - Parameter limit: The most members. A server that runs for months uses any number of objects, and a long batch uses most
  ///   of its objects only once.
  init(limit: Int = 16_384) { self.limit = limit }

  func contains(_ digest: ContentDigest) -> Bool { digests.contains(digest) }

  mutating func insert(_ digest: ContentDigest) {
    // Forgetting all costs one check of each object, and no order has to be kept.
    if digests.count >= limit { digests = [] }
    digests.insert(digest)
  }

  mutating func subtract(_ gone: some Sequence<ContentDigest>) { digests.subtract(gone) }
}
