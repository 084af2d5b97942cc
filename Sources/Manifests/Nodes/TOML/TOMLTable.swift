/// A table under construction: later headers and dotted keys may extend it.
final class TOMLTable {
  enum Kind {
    /// Made by a longer header or key, and not yet defined.
    case implicit
    /// Defined by its own `[header]`.
    case header
    /// Made by a dotted key; only keys of the same table may add to it.
    case dotted
    /// `{…}`, which can't be extended.
    case inline
  }

  enum Item {
    case value(ManifestNode)
    case table(TOMLTable)
    /// Made by `[[header]]`s.
    case tables([TOMLTable])
  }

  var kind: Kind
  let place: TextPlace
  private(set) var keys: [(name: String, place: TextPlace)] = []
  private var items: [String: Item] = [:]

  init(_ kind: Kind, at place: TextPlace) {
    self.kind = kind
    self.place = place
  }

  subscript(name: String) -> Item? { items[name] }

  func set(_ name: String, at place: TextPlace, to item: Item) {
    if items[name] == nil { keys.append((name, place)) }
    items[name] = item
  }

  /// Adds a table of `[[name]]`. An existing item must be an array of tables.
  func append(_ table: TOMLTable, to name: String, at place: TextPlace) {
    // Removed from the dictionary while it grows, so that it isn't copied each time.
    let found = items.removeValue(forKey: name)
    if found == nil { keys.append((name, place)) }
    var tables: [TOMLTable] = if case .tables(let tables) = consume found { tables } else { [] }
    tables.append(table)
    items[name] = .tables(tables)
  }

  func place(of name: String) -> TextPlace? { keys.first { $0.name == name }?.place }

  /// The finished table.
  var node: ManifestNode {
    let entries = keys.compactMap { key -> ManifestNode.Entry? in
      switch items[key.name] {
      case .value(let node): .init(key: key.name, place: key.place, value: node)
      case .table(let table): .init(key: key.name, place: key.place, value: table.node)
      case .tables(let tables):
        .init(key: key.name, place: key.place, value: ManifestNode(.list(tables.map(\.node)), at: key.place))
      case nil: nil
      }
    }
    return ManifestNode(.mapping(entries), at: place)
  }
}
