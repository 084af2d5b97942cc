import ArgumentParser

/// One or more operands that came as neighbours.
///
/// ArgumentParser's time grows with the square of the number of operands (ten thousand URLs took more than a second), so they
/// come to it in groups. NUL stands between them, which no argument can hold.
struct OperandGroup: ExpressibleByArgument {
  fileprivate let words: [String]

  init(argument: String) {
    words = argument.split(separator: "\0", omittingEmptySubsequences: false).map(String.init)
  }
}

extension [OperandGroup] {
  /// The operands in their order.
  var words: [String] { flatMap(\.words) }
}

/// A command whose operands are `[OperandGroup]`, and none of whose options takes more than one value.
protocol TakesManyOperands: ParsableCommand {}

enum Operands {
  /// The arguments with neighbouring operands in one, where the command takes any number of them.
  static func grouped(_ arguments: [String]) -> [String] {
    guard let name = arguments.first,
      let command = Imagemill.configuration.subcommands.first(where: { $0._commandName == name }),
      command is any TakesManyOperands.Type
    else { return arguments }
    var result = [name]
    var rest = arguments.dropFirst()
    while let argument = rest.popFirst() {
      result.append(argument)
      if argument == "--" {
        add(Array(rest), to: &result)
        break
      }
      // What follows an option may be its value, what follows anything else is none.
      if argument.hasPrefix("-") { continue }
      let neighbours = rest.prefix { !$0.hasPrefix("-") }
      add(Array(neighbours), to: &result)
      rest = rest.dropFirst(neighbours.count)
    }
    return result
  }

  private static func add(_ operands: [String], to arguments: inout [String]) {
    if !operands.isEmpty { arguments.append(operands.joined(separator: "\0")) }
  }
}
