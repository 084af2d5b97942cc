/// Collects the mistakes of a command line, so that one doesn't hide another.
struct UsageMistakes {
  private(set) var messages: [String]

  /// Starts with these mistakes.
  init(_ messages: [String] = []) { self.messages = messages }

  /// Adds mistakes.
  mutating func add(_ messages: [String]) {
    for message in messages where !self.messages.contains(message) { self.messages.append(message) }
  }

  /// The result of `body`; nil, with its mistake added, if it throws a usage error.
  /// - Throws: Any other error of `body`.
  mutating func noting<Value>(_ body: () throws -> Value) throws -> Value? {
    do {
      return try body()
    } catch let error as CommandError where error.status == .usage {
      add([error.message])
      return nil
    }
  }

  /// All of them as one error, each on a line of its own.
  var error: CommandError { CommandError(.usage, messages.joined(separator: "\nimagemill: ")) }

  /// Throws if there are any.
  func throwIfAny() throws(CommandError) {
    if !messages.isEmpty { throw error }
  }
}
