/// What `--emit` writes of the pictures, for pages that show them.
package enum MarkupFormat: String, Sendable, CaseIterable {
  /// An `<img>` with a `srcset` for each matrix of outputs, in the format that most browsers know.
  case srcset
  /// A `<picture>` with a `<source>` for each format.
  case picture
  /// The same as data: for each matrix, its formats' URLs, widths and heights.
  case json
}
