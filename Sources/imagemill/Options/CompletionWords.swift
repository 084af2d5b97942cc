import ArgumentParser
import ImageBatch
import ImageFilters
import ImageRendering

/// Completions for options whose values come from a table.
enum CompletionWords {
  /// Every filter's name. Aliases are left out, because they only serve users of AlamofireImage.
  static var filters: CompletionKind { .list(FilterTable.all.map(\.name)) }

  /// Every format that can be written.
  static var formats: CompletionKind { .list(EncoderTable.all.map(\.format.rawValue)) }

  /// Every format that can be written, `auto` and `same`.
  static var formatChoices: CompletionKind {
    .list(EncoderTable.all.map(\.format.rawValue) + ["auto", "same"])
  }

  /// Every encoder option, with its `=`.
  static var encoderOptions: CompletionKind {
    .list(Set(EncoderTable.all.flatMap { $0.options.map { "\($0.name)=" } }).sorted())
  }
}
