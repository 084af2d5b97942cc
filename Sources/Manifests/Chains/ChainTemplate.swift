import ImageBatch
package import ImageDownloads
package import ImageFilters

/// A chain from the command line with `{name}` fields, which each job fills in: `fit:200x,text:{sku}`.
///
/// A field is a CSV column, an NDJSON line's own key, a job's variable, a name of its matrix, or `{name}`, `{host}`,
/// `{dir}` or `{path}` of the source. A field's value can't add filters or arguments.
package struct ChainTemplate: Sendable, Hashable {
  private enum Part: Sendable, Hashable {
    case fixed(FilterChain)
    /// One filter with fields in its text.
    case varying(FieldText)
  }

  private let parts: [Part]
  /// The chain as given, with its fields.
  package let text: String

  /// Parses a chain with fields.
  /// - Throws: `FilterError` if a brace isn't closed, or a filter without fields is wrong.
  package init(parsing text: String) throws(FilterError) {
    self.text = text
    let fields: FieldText
    do throws(FieldText.Failure) {
      fields = try FieldText(parsing: text)
    } catch {
      throw error.ofChain
    }
    if let literal = fields.literal {
      parts = [.fixed(try FilterChain(parsing: literal))]
      return
    }
    var parts: [Part] = []
    for filter in fields.filters {
      guard let literal = filter.literal else {
        parts.append(.varying(filter))
        continue
      }
      let chain: FilterChain
      do throws(FilterError) {
        chain = try FilterChain(parsing: literal)
      } catch {
        throw FilterError(error.code, error.message)
      }
      // Only an empty text parses as an empty chain.
      guard !chain.isEmpty else {
        throw FilterError(.syntax, "a filter's name is missing; separate filters with one comma")
      }
      parts.append(.fixed(chain))
    }
    self.parts = parts
  }

  /// All mistakes in a chain's text, of which ``init(parsing:)`` throws only the first. Filters with fields are read when the
  /// fields are known.
  package static func mistakes(in text: String) -> [FilterError] {
    do throws(FilterError) {
      _ = try ChainTemplate(parsing: text)
      return []
    } catch {
      let fields: FieldText
      do throws(FieldText.Failure) { fields = try FieldText(parsing: text) } catch { return [error.ofChain] }
      if let literal = fields.literal {
        let found = FilterChain.mistakes(in: literal)
        return found.isEmpty ? [error] : found
      }
      let found = fields.filters.compactMap(\.literal).flatMap { FilterChain.mistakes(in: $0) }
      return found.isEmpty ? [error] : found.map { FilterError($0.code, $0.message) }
    }
  }

  /// Concatenates chains.
  /// - Throws: `FilterError` if the result exceeds ``ChainLimits``.
  package init(_ templates: [ChainTemplate]) throws(FilterError) {
    parts = templates.flatMap(\.parts)
    text = templates.map(\.text).filter { !$0.isEmpty }.joined(separator: ",")
    let count = parts.reduce(0) { count, part in
      if case .fixed(let chain) = part { count + chain.count } else { count + 1 }
    }
    try ChainLimits.check(steps: count)
  }

  /// Whether the chain has no filters.
  package var isEmpty: Bool {
    parts.allSatisfy { if case .fixed(let chain) = $0 { chain.isEmpty } else { false } }
  }

  /// Whether every job gets the same filters.
  var isFixed: Bool { fields.isEmpty }

  /// The names of the fields, in order.
  var fields: [String] {
    parts.flatMap { part -> [String] in
      if case .varying(let text) = part { text.fields.map(\.name) } else { [] }
    }
  }

  /// The sources that overlays and masks name without a field. They come from the command line, like the chain.
  var ownReferences: Set<String> {
    parts.reduce(into: []) { names, part in
      if case .fixed(let chain) = part { names.formUnion(chain.references) }
    }
  }

  /// The chain for a source without a job, which has the fields `{name}`, `{host}`, `{dir}` and `{path}`.
  /// - Throws: `FilterError` if a field is unknown, or the filled-in chain is wrong.
  package func filled(for source: ImageSource) throws(FilterError) -> FilterChain {
    let job = Job(index: 1, sources: [source], outputs: [])
    let values = FieldSubstitution(
      matrix: [:], variables: [:], builtIn: SourceFields.values(job), isOption: true)
    do throws(SourceResolver.Failure) {
      let directory = ManifestDirectory(path: "", allowsOutside: false, name: "the current directory")
      return try filled(values, directory)
    } catch {
      throw FilterError(.badArgument, error.message)
    }
  }

  /// The chain with its fields filled in. A font file that a field names must lie inside `directory`.
  func filled(
    _ values: FieldSubstitution, _ directory: ManifestDirectory
  ) throws(SourceResolver.Failure) -> FilterChain {
    var chains: [FilterChain] = []
    for part in parts {
      switch part {
      case .fixed(let chain): chains.append(chain)
      case .varying(let text): chains.append(try Self.filled(text, values, directory))
      }
    }
    do throws(FilterError) {
      return try FilterChain(chains)
    } catch {
      throw SourceResolver.Failure(message: error.message)
    }
  }

  private static func filled(
    _ text: FieldText, _ values: FieldSubstitution, _ directory: ManifestDirectory
  ) throws(SourceResolver.Failure) -> FilterChain {
    let filter: String
    do throws(FieldText.Failure) {
      filter = try values.applied(to: text, inChain: true)
    } catch {
      throw SourceResolver.Failure(message: error.message)
    }
    let chain: FilterChain
    do throws(FilterError) {
      chain = try FilterChain(parsing: filter)
    } catch {
      throw SourceResolver.Failure(message: "\(error.message) (in '\(filter)')")
    }
    return try chain.placingFontFiles { (path: String) throws(SourceResolver.Failure) in
      try directory.inside(path)
    }
  }
}

extension FieldText.Failure {
  /// The mistake as one of a chain.
  fileprivate var ofChain: FilterError { FilterError(.syntax, message, offset: offset) }
}
