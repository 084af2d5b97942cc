/// A value of a manifest with its place: what YAML, JSON and TOML are read into.
struct ManifestNode: Sendable {
  enum Value: Sendable {
    case null
    case bool(Bool)
    /// As written.
    case number(String)
    case text(String)
    case list([ManifestNode])
    case mapping([Entry])
  }

  struct Entry: Sendable {
    var key: String
    var place: TextPlace
    var value: ManifestNode
  }

  var value: Value
  var place: TextPlace
  /// Where the first character of a text stands, if the text is in the file just as it reads: then each place in
  /// the text is a place in the file.
  var textPlace: TextPlace?

  init(_ value: Value, at place: TextPlace, textPlace: TextPlace? = nil) {
    self.value = value
    self.place = place
    self.textPlace = textPlace
  }

  /// A text, or a number or truth value as it was written.
  var scalar: String? {
    switch value {
    case .text(let text), .number(let text): text
    case .bool(let flag): flag ? "true" : "false"
    case .null, .list, .mapping: nil
    }
  }

  var text: String? {
    if case .text(let text) = value { text } else { nil }
  }

  var list: [ManifestNode]? {
    if case .list(let nodes) = value { nodes } else { nil }
  }

  var entries: [Entry]? {
    if case .mapping(let entries) = value { entries } else { nil }
  }

  /// A mapping's value for a key.
  subscript(key: String) -> ManifestNode? {
    entries?.first { $0.key == key }?.value
  }

  var kind: String {
    switch value {
    case .null: "nothing"
    case .bool: "true or false"
    case .number: "a number"
    case .text: "a text"
    case .list: "a list"
    case .mapping: "a mapping"
    }
  }

  /// The place of a UTF-8 offset in the text, as near as it can be told.
  func place(ofOffset offset: Int?) -> TextPlace {
    guard let offset, let textPlace, let text = scalar else { return place }
    let before = text.utf8.prefix(offset)
    var result = textPlace
    result.column += String(decoding: before, as: UTF8.self).unicodeScalars.count
    return result
  }
}
