package import ImageDownloads
import ImageRendering

extension StoredSource {
  /// Caches a response whose end wasn't announced, after a decoder has accepted its body. Blocks.
  /// - Parameter wasDecoded: Whether the pixels were decoded, and not the header alone. Default: true.
  package func confirmEnd(wasDecoded: Bool = true) {
    guard let unconfirmed, WholeFile.hasEnd(path, wasDecoded: wasDecoded) else { return }
    unconfirmed.store()
  }
}
