import ImageBatch

/// A line of an NDJSON report, read as a job: `run report.ndjson` makes the same outputs again.
enum ReportLine {
  /// The job of a result: its source, path, filter and format, and the record's fields. The properties of the file,
  /// such as size and digest, are ignored. nil if the line isn't a result.
  static func job(_ node: ManifestNode) -> ManifestNode? {
    guard let status = node["status"]?.text, OutputResult.Status(rawValue: status) != nil,
      node["index"] != nil, node["source"] != nil, node["filter"] != nil, let fields = node["fields"]?.entries
    else { return nil }
    var entries = (node.entries ?? []).compactMap { entry -> ManifestNode.Entry? in
      guard let text = entry.value.text else { return nil }
      switch entry.key {
      case "source", "format": return entry
      case "output", "filter":
        // Their fields are filled in already, so braces are literal.
        return .init(
          key: entry.key, place: entry.place,
          value: ManifestNode(
            .text(FieldText.braced(text)), at: entry.value.place, textPlace: entry.value.place))
      default: return nil
      }
    }
    entries += fields.filter { KeyTable.job[$0.key] == nil }
    return ManifestNode(.mapping(entries), at: node.place)
  }
}
