/// A chain's text as a manifest has it, with its names and fields.
enum ChainText {
  /// The text of a chain in any of its forms; nil if it isn't a chain.
  static func text(_ node: ManifestNode) -> String? {
    switch node.value {
    case .text(let text): text
    case .list(let members): joined(members.map(text), by: ",")
    case .mapping(let entries): joined(entries.map(filter), by: ",")
    case .null, .bool, .number: nil
    }
  }

  private static func filter(_ entry: ManifestNode.Entry) -> String? {
    switch entry.value.value {
    case .null: entry.key
    case .bool, .number, .text: joined([entry.key, entry.value.scalar], by: ":")
    case .list(let members): joined([entry.key] + members.map(\.scalar), by: ":")
    case .mapping(let members):
      joined(
        [entry.key] + members.map { member in member.value.scalar.map { "\(member.key)=\($0)" } }, by: ":")
    }
  }

  private static func joined(_ parts: [String?], by separator: String) -> String? {
    let known = parts.compactMap(\.self)
    return known.count == parts.count ? known.joined(separator: separator) : nil
  }
}

extension OutputReader {
  /// The output's chain as its manifest and command line have it; nil without filters.
  var chainText: String? {
    let transition = layers["transition"].map { node in
      ManifestNode(.mapping([.init(key: "transition", place: node.place, value: node)]), at: node.place)
    }
    let own = layers.own("filter") ?? matrixNode("filter") ?? layers.defaults?["filter"]
    let texts = [
      own.flatMap(ChainText.text), context.appendedChain?.text, transition.flatMap(ChainText.text),
    ]
    let text = texts.compactMap(\.self).filter { !$0.isEmpty }.joined(separator: ",")
    return text.isEmpty ? nil : text
  }
}
