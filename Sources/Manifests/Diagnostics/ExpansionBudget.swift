import ImageFilters

/// Limits how far a manifest may expand. Matrices, named chains, variables and defaults multiply: a few hundred bytes
/// could expand to more memory than any machine has. Each product is charged before it is made.
struct ExpansionBudget {
  /// The maximum number of outputs of a job.
  static let outputsOfJob = 100_000
  /// The maximum number of outputs of a document; streams have no such limit.
  static let outputs = 250_000
  /// The maximum number of combinations of a matrix.
  static let rows = 10_000
  /// The maximum number of names of a matrix.
  static let matrixNames = 64
  /// The maximum depth of named chains.
  static let nesting = 64
  /// The maximum length of a text with its fields filled in, in UTF-8 bytes.
  static let text = ChainLimits.text
  /// The maximum length of an origin's header value or credentials, in UTF-8 bytes.
  static let header = 64 << 10
  /// The maximum number of mistakes reported at once.
  static let mistakes = 1_000

  /// The remaining bytes for the chains and variables of all outputs.
  private var bytes = 256 << 20
  /// Whether a charge was refused, so that further refusals need no report.
  private(set) var isExhausted = false

  /// The size of a dictionary entry without its strings, which are shared.
  private static let entry = 48

  /// Charges an output's chain and number of variables; false if the document expands too far.
  mutating func pay(chain: FilterChain, variables: Int) -> Bool {
    pay(chain.identifier.utf8.count + variables * Self.entry)
  }

  /// Charges a named chain.
  mutating func pay(named chain: FilterChain) -> Bool { pay(chain.identifier.utf8.count) }

  /// Charges a job's variables.
  mutating func pay(variables: Int) -> Bool { pay(variables * Self.entry) }

  /// An equal share for each of several parts of a document, so that together they can't exceed this budget.
  func share(among parts: Int) -> ExpansionBudget {
    var share = self
    share.bytes = bytes / parts
    return share
  }

  /// Charges what was charged to the shares of parts.
  mutating func pay(shares: [ExpansionBudget]) {
    let share = share(among: shares.count).bytes
    bytes -= shares.reduce(0) { $0 + share - $1.bytes }
  }

  private mutating func pay(_ size: Int) -> Bool {
    guard bytes >= size else {
      isExhausted = true
      return false
    }
    bytes -= size
    return true
  }

  static let tooManyOutputs =
    "the manifest has more than \(outputs) outputs: split it, or write it as NDJSON or CSV, which are streamed"
  static let tooMuchText =
    "the chains and variables of all outputs take too much memory: split the manifest, or write it as NDJSON or CSV, "
    + "which are streamed"
}
