import ImageCaches

/// A response whose body ended with the connection, without an announced length. It may be truncated, so it isn't in the
/// HTTP cache until a decoder has read the body to its end.
package struct UnconfirmedResponse: Sendable {
  private let entry: ResponseTable.Entry
  private let disk: DiskStore

  init(_ entry: ResponseTable.Entry, in disk: DiskStore) {
    self.entry = entry
    self.disk = disk
  }

  /// Adds the response to the HTTP cache, because its body is whole. Blocks. A failure affects no output.
  package func store() {
    do throws(CacheError) {
      try disk.index.write { try ResponseTable.write(entry, in: $0) }
    } catch {
      disk.noteRepair("a response isn't cached", error)
    }
  }
}
