import ImageBatch
package import ImageDownloads
package import ImageFilters

/// A chain of the command line with `{name}` fields, which each job fills in: `fit:200x,text:{sku}`.
///
/// A field stands for a column of a CSV, a field of an NDJSON line, a job's variable, a name of its matrix, or what a
/// template calls `{name}`, `{host}`, `{dir}` and `{path}`. What it stands for is a value: it adds no filter and no
/// argument, whatever it holds.
package struct ChainTemplate: Sendable, Hashable {
  private enum Part: Sendable, Hashable {
    case fixed(FilterChain)
    /// One filter, some of whose text the fields say.
    case varying(FieldText)
  }

  private let parts: [Part]

  /// The chain that `text` describes. Throws where a brace isn't closed, or what needs no value of a field is no chain.
  package init(parsing text: String) throws(FilterError) {
    let fields: FieldText
    do throws(FieldText.Failure) {
      fields = try FieldText(parsing: text)
    } catch {
      throw FilterError(.syntax, error.message, offset: error.offset)
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
      // The grammar's only chain without a filter is the one without any text.
      guard !chain.isEmpty else {
        throw FilterError(.syntax, "a filter's name is missing; filters are separated by one comma")
      }
      parts.append(.fixed(chain))
    }
    self.parts = parts
  }

  /// The chains one after the other. Throws where they are longer together than ``ChainLimits`` allow.
  package init(_ templates: [ChainTemplate]) throws(FilterError) {
    parts = templates.flatMap(\.parts)
    let count = parts.reduce(0) { count, part in
      if case .fixed(let chain) = part { count + chain.count } else { count + 1 }
    }
    try ChainLimits.check(steps: count)
  }

  /// Whether it does nothing.
  package var isEmpty: Bool {
    parts.allSatisfy { if case .fixed(let chain) = $0 { chain.isEmpty } else { false } }
  }

  /// Whether every job gets the same filters.
  var isFixed: Bool { fields.isEmpty }

  /// The names of its fields, in order.
  var fields: [String] {
    parts.flatMap { part -> [String] in
      if case .varying(let text) = part { text.fields.map(\.name) } else { [] }
    }
  }

  /// The SOURCE texts that its overlays and masks name without a field: who gave the chain has given them.
  var ownReferences: Set<String> {
    parts.reduce(into: []) { names, part in
      if case .fixed(let chain) = part { names.formUnion(chain.references) }
    }
  }

  /// The chain of one source that belongs to no job: `{name}`, `{host}`, `{dir}` and `{path}` are its fields.
  package func filled(for source: ImageSource) throws(FilterError) -> FilterChain {
    let job = Job(index: 1, sources: [source], outputs: [])
    let values = FieldSubstitution(matrix: [:], variables: [:], builtIn: SourceFields.values(job))
    do throws(SourceResolver.Failure) {
      return try filled(values, ManifestDirectory(path: "", allowsOutside: false))
    } catch {
      throw FilterError(.badArgument, error.message)
    }
  }

  /// The chain with its fields filled in. A font file that a field names lies inside `directory`.
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
