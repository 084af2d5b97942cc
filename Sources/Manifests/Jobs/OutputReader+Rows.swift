import ImageBatch
import ImageFilters

extension OutputReader {
  private static let settingKeys = [
    "format", "quality", "encode", "metadata", "profile", "background", "frames", "min-savings", "orient",
    "max-bytes",
  ]

  private var chainNode: ManifestNode? {
    layers.own("filter") ?? matrixNode("filter") ?? layers.defaults?["filter"]
  }

  private var settingNodes: [ManifestNode] {
    Self.settingKeys.flatMap { key in
      [layers.defaults?[key], layers.job[key], layers.output?[key]].compactMap(\.self)
    }
  }

  /// The values in which fields are filled in, but for the template.
  var substitutedNodes: [ManifestNode] {
    settingNodes + [chainNode, layers["transition"]].compactMap(\.self)
  }

  /// What can be read before there is a row; what is wrong with it is then in the log.
  func fixedParts(
    at place: TextPlace, log: inout DiagnosticLog, varies: (ManifestNode) -> Bool
  ) -> FixedParts {
    var parts = FixedParts()
    guard let template = template(log: &log) else { return parts }
    // A row of its own names says only by itself whether it has all that the template wants.
    if !hasOtherNames { parts.template = template }
    let nodes = [chainNode, layers["transition"]].compactMap(\.self)
    if !nodes.contains(where: varies), context.appendedChain?.isFixed != false, layers["transition"] == nil {
      parts.chain = chain(log: &log)
    } else if let node = chainNode {
      checkChain(node, log: &log, varies: varies)
    }
    let isExtensionFixed =
      template.literalPathExtension != nil
      || template.fields.last.map { field in
        !template.text.hasSuffix(".{\(field.name)}") || substitution.matrix[field.name] != nil
          || substitution.variables[field.name] != nil
          || !hasOtherNames && !rowNames.contains(field.name)
      } ?? true
    if isExtensionFixed, !settingNodes.contains(where: varies) {
      parts.encoding = encoding(template, at: place, log: &log)
    }
    return parts
  }

  /// Notes what is wrong with the filters that no row changes.
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
        // Told where the text's fields are checked.
        return
      }
    case .null, .bool, .number: break
    }
  }
}
