import ImageBatch

/// A line of an NDJSON report, read as the job that it is the result of: `run report.ndjson` makes the same outputs again.
enum ReportLine {
  /// The job that a result tells of: its source, path, filter and format, and the record's own fields. What the result
  /// says of the file that was made (its size, its digest) asks for nothing. nil where the line is no result.
  static func job(_ node: ManifestNode) -> ManifestNode? {
    guard let status = node["status"]?.text, OutputResult.Status(rawValue: status) != nil,
      node["index"] != nil, node["source"] != nil, node["filter"] != nil, let fields = node["fields"]?.entries
    else { return nil }
    var entries = (node.entries ?? []).compactMap { entry -> ManifestNode.Entry? in
      guard let text = entry.value.text else { return nil }
      switch entry.key {
      case "source", "format": return entry
      case "output", "filter":
        // They are what the fields were filled into.
        let literal = text.replacing("{", with: "{{").replacing("}", with: "}}")
        return .init(
          key: entry.key, place: entry.place,
          value: ManifestNode(.text(literal), at: entry.value.place, textPlace: entry.value.place))
      default: return nil
      }
    }
    entries += fields.filter { KeyTable.job[$0.key] == nil }
    return ManifestNode(.mapping(entries), at: node.place)
  }
}
