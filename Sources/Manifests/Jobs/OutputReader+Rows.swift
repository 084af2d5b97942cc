import ImageBatch
import ImageFilters

extension OutputReader {
  /// The keys of encoder settings.
  static let encodingKeys: Set = [
    "format", "quality", "encode", "metadata", "profile", "background", "frames", "min-savings", "orient",
    "max-bytes",
  ]

  private var chainNode: ManifestNode? {
    layers.own("filter") ?? matrixNode("filter") ?? layers.defaults?["filter"]
  }

  private var settingNodes: [ManifestNode] {
    Self.encodingKeys.sorted().flatMap { key in
      [layers.defaults?[key], layers.job[key], layers.output?[key]].compactMap(\.self)
    }
  }

  /// The nodes in which fields are filled in, without the template.
  var substitutedNodes: [ManifestNode] {
    settingNodes + [chainNode, layers["transition"]].compactMap(\.self)
  }

  /// The parts that can be read without a row; errors in them are added to the log.
  func fixedParts(
    at place: TextPlace, log: inout DiagnosticLog, varies: (ManifestNode) -> Bool
  ) -> FixedParts {
    var parts = FixedParts()
    let template = template(log: &log)
    // NDJSON rows have their own names: whether a row has the template's fields is known only from the row.
    if !hasOtherNames { parts.template = template }
    let nodes = [chainNode, layers["transition"]].compactMap(\.self)
    if !nodes.contains(where: varies), context.appendedChain?.isFixed != false, layers["transition"] == nil {
      parts.chain = chain(log: &log)
    } else if let node = chainNode {
      checkChain(node, log: &log, varies: varies)
    }
    let isExtensionFixed =
      template?.literalPathExtension != nil
      || template?.fields.last.map { field in
        template?.text.hasSuffix(".{\(field.name)}") != true || substitution.matrix[field.name] != nil
          || substitution.variables[field.name] != nil
          || !hasOtherNames && !rowNames.contains(field.name)
      } ?? true
    if isExtensionFixed, !settingNodes.contains(where: varies) {
      parts.encoding = encoding(template, at: place, log: &log)
    }
    return parts
  }

  /// Checks the filters that don't vary from row to row.
  private func checkChain(
    _ node: ManifestNode, log: inout DiagnosticLog, varies: (ManifestNode) -> Bool
  ) {
    let reader = ChainReader(named: context.named, substitution: substitution)
    guard varies(node) else {
      _ = reader.chain(node, log: &log)
      return
    }
    switch node.value {
    case .list(let members): for member in members { checkChain(member, log: &log, varies: varies) }
    case .mapping(let entries):
      for entry in entries where !varies(entry.value) {
        _ = reader.chain(ManifestNode(.mapping([entry]), at: node.place), log: &log)
      }
    case .text(let text):
      do throws(FieldText.Failure) {
        for filter in try FieldText(parsing: text).filters {
          guard let literal = filter.literal else { continue }
          _ = reader.chain(
            ManifestNode(.text(FieldText.braced(literal)), at: node.place), log: &log)
        }
      } catch {
        // Reported where the text's fields are checked.
        return
      }
    case .null, .bool, .number: break
    }
  }
}
