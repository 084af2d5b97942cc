import ImageFilters

/// How much a manifest may come to stand for. Matrices, named chains, variables and defaults multiply: a text of a few
/// hundred bytes could ask for more memory than any machine has. Each product is paid for before it is made.
struct ExpansionBudget {
  /// The most outputs of one job.
  static let outputsOfJob = 100_000
  /// The most outputs of a document; lists, CSV and NDJSON are streamed and have no such limit.
  static let outputs = 250_000
  /// The most combinations of a matrix.
  static let rows = 10_000
  /// The most names of a matrix.
  static let matrixNames = 64
  /// How many named chains may use one another in a row.
  static let nesting = 64
  /// The longest text that fields are filled into, in bytes of UTF-8.
  static let text = ChainLimits.text
  /// The longest value of an origin's header, or its credentials, in bytes of UTF-8.
  static let header = 64 << 10
  /// The most mistakes that are told at once.
  static let mistakes = 1_000

  /// Of chains' texts and variables, all outputs together.
  private var bytes = 256 << 20
  /// Whether a refusal has been told: the next ones come of it.
  private(set) var isExhausted = false

  /// What a dictionary's entry takes besides its texts, which are shared.
  private static let entry = 48

  /// Pays for an output with such a chain and so many variables; false where the document stands for too much.
  mutating func pay(chain: FilterChain, variables: Int) -> Bool {
    pay(chain.identifier.utf8.count + variables * Self.entry)
  }

  /// Pays for a named chain.
  mutating func pay(named chain: FilterChain) -> Bool { pay(chain.identifier.utf8.count) }

  /// Pays for a job's variables.
  mutating func pay(variables: Int) -> Bool { pay(variables * Self.entry) }

  private mutating func pay(_ size: Int) -> Bool {
    guard bytes >= size else {
      isExhausted = true
      return false
    }
    bytes -= size
    return true
  }

  static let tooManyOutputs =
    "the manifest stands for more than \(outputs) outputs: split it, or write it as NDJSON or CSV, which are streamed"
  static let tooMuchText =
    "the chains and variables of all outputs together take too much memory: split the manifest, or write it as NDJSON "
    + "or CSV, which are streamed"
}
