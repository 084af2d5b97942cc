import ImageBatch
import ImageFilters

/// Puts values in the place of `{name}`: the names of a matrix, a job's variables and what is known of its source, in
/// an output's settings.
struct FieldSubstitution {
  /// Written by the manifest's author: put in as they are, so that `{shape}` can be a whole filter.
  var matrix: [String: String]
  /// Data, maybe of another's making: put in a chain with its special characters escaped, so that a title with a
  /// comma is a title.
  var variables: [String: String]
  /// What a template calls by these names too, and that is known before the source is read. Data as well.
  var builtIn: [String: String] = [:]

  typealias Failure = FieldText.Failure

  /// The names that a job's author has given.
  var names: [String] { matrix.keys.sorted() + variables.keys.sorted().filter { matrix[$0] == nil } }

  /// `text` with its fields filled in. `inChain` escapes data for the chain grammar.
  func applied(to text: String, inChain: Bool = false) throws(Failure) -> String {
    try applied(to: FieldText(parsing: text), inChain: inChain)
  }

  /// The text with its fields filled in. `inChain` escapes data for the chain grammar.
  func applied(to text: FieldText, inChain: Bool = false) throws(Failure) -> String {
    var result = ""
    for segment in text.segments {
      switch segment {
      case .literal(let literal): result += literal
      case .field(let name, let offset):
        let value = try value(of: name, inChain: inChain, at: offset)
        guard result.utf8.count + value.utf8.count <= ExpansionBudget.text else {
          throw Failure(
            message:
              "with its fields filled in the text has more than \(ExpansionBudget.text) bytes: shorten it",
            offset: offset)
        }
        result += value
      }
    }
    return result
  }

  private func value(of name: String, inChain: Bool, at offset: Int) throws(Failure) -> String {
    if let value = matrix[name] { return value }
    if let value = variables[name] ?? builtIn[name] { return inChain ? FilterChain.escaped(value) : value }
    throw Failure(message: Self.unknown(name, among: names), offset: offset)
  }

  /// What is said of a field that nothing defines, where these names are defined.
  static func unknown(_ name: String, among names: [String]) -> String {
    if OutputTemplate.BuiltIn(rawValue: name) != nil {
      return "'{\(name)}' isn't known before the output is made: only its path can hold it"
    }
    let hint =
      names.isEmpty && NearestName.of(name, in: SourceFields.names) == nil
      ? ": define it in 'variables' or 'matrix', or write '{{\(name)}}'"
      : NearestName.hint(name, in: names + SourceFields.names)
    return "nothing defines '{\(name)}' here\(hint)"
  }
}

/// What a chain may say of its source: fields of a template that are known before the source is read.
enum SourceFields {
  static let names = ["name", "host", "dir", "path"]

  /// Their values for a job.
  static func values(_ job: Job) -> [String: String] {
    let source = job.sources.first
    return [
      "name": source?.fileName ?? "", "host": source?.host ?? "", "path": source?.directoryPath ?? "",
      "dir": job.sourceDirectory ?? source?.directories.joined(separator: "/") ?? "",
    ]
  }
}
