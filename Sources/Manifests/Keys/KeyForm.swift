/// The form of a key's value.
indirect enum KeyForm: Sendable {
  /// A string.
  case text
  /// A string, a number or a boolean.
  case scalar
  /// One of these strings.
  case choice([String])
  /// A chain: a string, a list of strings and mappings, or a mapping of filters.
  case chain
  /// A list that isn't empty, with members of this form.
  case list(KeyForm)
  /// A string, or a list of strings that isn't empty.
  case textOrList
  /// A scalar, or a list of scalars that isn't empty.
  case scalarOrList
  /// A mapping with arbitrary keys.
  case names(KeyForm)
  /// A mapping with known keys.
  case object(KeyTable)

  /// Whether the cell of a table can hold the value.
  var fitsCell: Bool {
    switch self {
    case .text, .scalar, .choice, .chain, .textOrList, .scalarOrList: true
    case .list, .names, .object: false
    }
  }

  /// The form in words, for "must be …".
  var description: String {
    switch self {
    case .text: "a string"
    case .scalar: "a string or a number"
    case .choice(let names):
      names.dropLast().map { "'\($0)'" }.joined(separator: ", ") + (names.last.map { " or '\($0)'" } ?? "")
    case .chain: "a chain of filters, such as 'fill:100x100,circle'"
    case .list: "a list, such as [a, b]"
    case .textOrList: "a string or a list of strings"
    case .scalarOrList: "a string, a number, or a list of them"
    case .names: "a mapping of names to values"
    case .object: "a mapping of keys to values"
    }
  }
}

/// The keys of one kind of mapping, from which both the reader's checks and the JSON Schema are made.
struct KeyTable: Sendable {
  /// The mapping in words, as in "a job".
  let title: String
  let keys: [Key]

  struct Key: Sendable {
    let name: String
    let form: KeyForm
    /// The description in the schema, one line.
    let summary: String
    let isRequired: Bool
    /// Another key that may take the place of a required one.
    let unless: String?
    /// The remedy in the error about a missing key.
    let need: String?

    init(
      _ name: String, _ form: KeyForm, _ summary: String, isRequired: Bool = false, unless: String? = nil,
      need: String? = nil
    ) {
      self.name = name
      self.form = form
      self.summary = summary
      self.isRequired = isRequired
      self.unless = unless
      self.need = need
    }
  }

  var names: [String] { keys.map(\.name) }

  subscript(name: String) -> Key? { keys.first { $0.name == name } }
}
