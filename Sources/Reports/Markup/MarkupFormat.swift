/// The markup that `--emit` writes for pages that show the images.
package enum MarkupFormat: String, Sendable, CaseIterable {
  /// An `<img>` with a `srcset` for each matrix of outputs, in the most widely supported format.
  case srcset
  /// A `<picture>` with a `<source>` for each format.
  case picture
  /// The same as JSON: URLs, widths and heights by format, for each matrix of outputs.
  case json
}
