import ImageDownloads
import ImageRendering
import SystemIO

/// The sources of one request, each pinned to the bytes that were digested until the request's pixels are stored.
///
/// Its calls open files, and read whole ones whose fingerprints are too recent to be trusted: they belong on threads that
/// may block.
struct HeldSources: Sendable {
  /// The source's bytes.
  let place: FilePlace
  /// The images that the chains refer to, by reference.
  let auxiliary: [String: AuxiliarySource]
  private let all: [HeldSource]

  /// Opens a source and the images that its chains refer to.
  /// - Throws: `JobError` with code `sourceChanged` or `unreadable`.
  init(_ source: StoredSource, auxiliary stored: [String: StoredSource]) throws(JobError) {
    let main = try HeldSource(source)
    var all = [main]
    var auxiliary: [String: AuxiliarySource] = [:]
    for (reference, source) in stored {
      let held = try HeldSource(source)
      all.append(held)
      auxiliary[reference] = AuxiliarySource(source, held.place)
    }
    place = main.place
    self.auxiliary = auxiliary
    self.all = all
  }

  /// Whether ``check()`` has anything to do: stored objects never change.
  var areChangeable: Bool { all.contains(where: \.isChangeable) }

  /// Checks that every file is still the one that was digested. If it throws, what was rendered must be discarded.
  /// - Throws: `JobError` with code `sourceChanged` or `unreadable`.
  func check() throws(JobError) {
    for source in all { try source.check() }
  }
}
