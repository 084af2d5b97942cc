import ArgumentParser
import ImageBatch
import ImageFilters

/// What shells offer for options whose values come from a table.
enum CompletionWords {
  /// Every filter's name, aliases left out: they are for those who come from elsewhere.
  static var filters: CompletionKind { .list(FilterTable.all.map(\.name)) }

  /// Every format that can be written.
  static var formats: CompletionKind { .list(EncoderTable.all.map(\.format.rawValue)) }

  /// Every format that can be written, and the words for the smallest and for the source's own.
  static var formatChoices: CompletionKind {
    .list(EncoderTable.all.map(\.format.rawValue) + ["auto", "same"])
  }

  /// Every encoder option, ready for its value.
  static var encoderOptions: CompletionKind {
    .list(Set(EncoderTable.all.flatMap { $0.options.map { "\($0.name)=" } }).sorted())
  }
}
