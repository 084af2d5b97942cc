import ImageBatch
import ImageFilters
import ImageRendering

extension JobReader {
  /// A job with mistakes as far as it can be read: its sources, and the outputs whose paths are right. The places of outputs are
  /// checked by it, so that a mistake elsewhere doesn't hide that two outputs have the same path.
  func draft(_ node: ManifestNode, index: Int, _ text: ManifestText) -> Job {
    // The mistakes have been reported.
    var log = DiagnosticLog(text)
    let sources = sources(of: node, log: &log) ?? []
    var job = Job(index: index, sources: sources, outputs: [])
    job.sourceDirectory = sources.first.map(context.root.directory)
    job.placeholder = placeholder(of: node, log: &log)
    job.location = location(node.place)
    let values = FieldSubstitution(
      matrix: [:], variables: variables(of: node), builtIn: SourceFields.values(job))
    for definition in definitions(of: node, log: &log) ?? [] {
      for row in definition.matrix.prefix(Self.mostWrongRows) {
        var substitution = values
        substitution.matrix = row
        let reader = OutputReader(
          context: context, layers: definition.layers, substitution: substitution,
          placeholder: job.placeholder)
        guard var output = reader.draft(at: definition.place, text) else { continue }
        output.location = location(definition.place)
        job.outputs.append(output)
      }
    }
    return job
  }
}

extension OutputReader {
  /// The output without those of its settings that are wrong; nil if its path is wrong, or depends on them.
  fileprivate func draft(at place: TextPlace, _ text: ManifestText) -> JobOutput? {
    var log = DiagnosticLog(text)
    guard let template = template(log: &log) else { return nil }
    let chain = chain(log: &log) ?? FilterChain()
    guard
      let encoding = encoding(template, at: place, log: &log) ?? (template.dependsOnFormat ? nil : Self.png)
    else { return nil }
    var output = JobOutput(template: template, chain: chain, encoding: encoding, variables: variables)
    output.namedSources = namedSources(chain, at: place, log: &log) ?? [:]
    return output
  }

  /// The encoding of an output whose own is wrong.
  private static var png: Encoding? {
    do throws(EncodingSettingsError) {
      return try Encoding(resolving: EncodingSettings(), pathExtension: "png")
    } catch {
      return nil
    }
  }
}

extension OutputTemplate {
  /// Whether the path has a field of the output's format.
  fileprivate var dependsOnFormat: Bool {
    fields.contains { $0.name == BuiltIn.ext.rawValue || $0.name == BuiltIn.format.rawValue }
  }
}
