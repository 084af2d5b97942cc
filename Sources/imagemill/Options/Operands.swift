import ArgumentParser

/// One or more adjacent operands, joined by NUL, which no argument can contain.
///
/// ArgumentParser takes time quadratic in the number of operands: more than a second for ten thousand URLs.
struct OperandGroup: ExpressibleByArgument {
  fileprivate let words: [String]

  init(argument: String) {
    words = argument.split(separator: "\0", omittingEmptySubsequences: false).map(String.init)
  }
}

extension [OperandGroup] {
  /// The single operands, in order.
  var words: [String] { flatMap(\.words) }
}

/// A command whose operands are `[OperandGroup]`. None of its options may take more than one value.
protocol TakesManyOperands: ParsableCommand {}

enum Operands {
  /// The arguments, with adjacent operands joined if the command takes many of them.
  static func grouped(_ arguments: [String]) -> [String] {
    let arguments = selectingLastRun(arguments)
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
      // The argument after an option may be its value; the argument after an operand isn't one.
      if argument.hasPrefix("-") { continue }
      let neighbors = rest.prefix { !$0.hasPrefix("-") }
      add(Array(neighbors), to: &result)
      rest = rest.dropFirst(neighbors.count)
    }
    return result
  }

  /// The arguments with a value for a `--failed` without a report: the parser knows no optional values.
  private static func selectingLastRun(_ arguments: [String]) -> [String] {
    var result: [String] = []
    for (index, argument) in arguments.enumerated() {
      if argument == "--" { return result + arguments[index...] }
      let isBare =
        argument == "--failed" && !(index + 1 < arguments.count && isReport(arguments[index + 1]))
      result.append(isBare ? "--failed=\(LastRun.word)" : argument)
    }
    return result
  }

  /// Whether the word after `--failed` is its report rather than an operand.
  static func isReport(_ word: String) -> Bool { word.lowercased().hasSuffix(".ndjson") }

  private static func add(_ operands: [String], to arguments: inout [String]) {
    if !operands.isEmpty { arguments.append(operands.joined(separator: "\0")) }
  }
}
