/// A value of a YAML, JSON or TOML document with its place.
struct ManifestNode: Sendable {
  enum Value: Sendable {
    case null
    case bool(Bool)
    /// A number as written.
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
  /// The place of a string's first character; nil if the string is written differently, with escapes for example, so
  /// that offsets in it aren't places in the file.
  var textPlace: TextPlace?

  init(_ value: Value, at place: TextPlace, textPlace: TextPlace? = nil) {
    self.value = value
    self.place = place
    self.textPlace = textPlace
  }

  /// The string, number or boolean as text.
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

  /// The value of a mapping's key.
  subscript(key: String) -> ManifestNode? {
    entries?.first { $0.key == key }?.value
  }

  var kind: String {
    switch value {
    case .null: "null"
    case .bool: "a boolean"
    case .number: "a number"
    case .text: "a string"
    case .list: "a list"
    case .mapping: "a mapping"
    }
  }

  /// The place of a UTF-8 offset in the string; the node's place if it isn't known.
  func place(ofOffset offset: Int?) -> TextPlace {
    guard let offset, let textPlace, let text = scalar else { return place }
    let before = text.utf8.prefix(offset)
    var result = textPlace
    result.column += String(decoding: before, as: UTF8.self).unicodeScalars.count
    return result
  }
}
