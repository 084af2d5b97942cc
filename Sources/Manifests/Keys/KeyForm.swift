/// What may stand as a key's value.
indirect enum KeyForm: Sendable {
  /// A text.
  case text
  /// A text, a number, or true or false.
  case scalar
  /// One of these texts.
  case choice([String])
  /// A chain: a text, a list of texts and mappings, or a mapping of filters.
  case chain
  /// A list of this.
  case list(KeyForm)
  /// A text, or a list of texts that isn't empty.
  case textOrList
  /// A text or a number, or a list of them that isn't empty.
  case scalarOrList
  /// A mapping with names of the user's own.
  case names(KeyForm)
  /// A mapping with known keys.
  case object(KeyTable)

  /// Whether a text alone can be it, as a cell's is.
  var fitsCell: Bool {
    switch self {
    case .text, .scalar, .choice, .chain, .textOrList, .scalarOrList: true
    case .list, .names, .object: false
    }
  }

  /// For "must be …".
  var description: String {
    switch self {
    case .text: "a text"
    case .scalar: "a text or a number"
    case .choice(let names):
      names.dropLast().map { "'\($0)'" }.joined(separator: ", ") + (names.last.map { " or '\($0)'" } ?? "")
    case .chain: "a chain of filters, such as 'fill:100x100,circle'"
    case .list: "a list, such as [a, b]"
    case .textOrList: "a text or a list of texts"
    case .scalarOrList: "a text, a number, or a list of them"
    case .names: "a mapping of names to values"
    case .object: "a mapping of keys to values"
    }
  }
}

/// The keys of one kind of mapping: the strict reader's rules and the JSON Schema are both made from this.
struct KeyTable: Sendable {
  /// For "of a job".
  let title: String
  let keys: [Key]

  struct Key: Sendable {
    let name: String
    let form: KeyForm
    /// One line, for the schema.
    let summary: String
    let isRequired: Bool
    /// Another key that it isn't required beside.
    let unless: String?
    /// What to write, for who has left a required key out.
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
