import ImageBatch
import ImageFilters

/// Fills in the `{name}` fields of an output's settings.
struct FieldSubstitution {
  /// Values of the matrix, from the manifest's author: not escaped, so that `{shape}` can be a whole filter.
  var matrix: [String: String]
  /// Variables and columns, which may be untrusted: escaped in chains, so that a title may contain a comma.
  var variables: [String: String]
  /// Built-in fields that are known before the source is read; escaped as variables are.
  var builtIn: [String: String] = [:]
  /// Whether the texts are those of an option, for which a user can't define fields.
  var isOption = false

  typealias Failure = FieldText.Failure

  /// The names of the matrix and the variables.
  var names: [String] { matrix.keys.sorted() + variables.keys.sorted().filter { matrix[$0] == nil } }

  /// Whether a field has a value.
  func defines(_ name: String) -> Bool {
    matrix[name] != nil || variables[name] != nil || builtIn[name] != nil
  }

  /// `text` with its fields filled in.
  /// - Parameter inChain: Whether variables and built-in fields are escaped for the chain grammar.
  func applied(to text: String, inChain: Bool = false) throws(Failure) -> String {
    try applied(to: FieldText(parsing: text), inChain: inChain)
  }

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
              "the text is longer than \(ExpansionBudget.text) bytes with its fields filled in: shorten it",
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
    throw Failure(message: Self.unknown(name, among: names, inOption: isOption), offset: offset)
  }

  /// The message for an undefined field.
  /// - Parameters:
  ///   - names: The fields that are defined.
  ///   - inOption: Whether only those and the source's can be used. Default: false.
  static func unknown(_ name: String, among names: [String], inOption: Bool = false) -> String {
    if OutputTemplate.BuiltIn(rawValue: name) != nil {
      return "'{\(name)}' isn't known before the output is rendered: use it only in the output's path"
    }
    if inOption, NearestName.of(name, in: names + SourceFields.names) == nil {
      let known = (names + SourceFields.names).map { "{\($0)}" }.joined(separator: ", ")
      return "unknown field '{\(name)}': the fields here are \(known); for a brace, write '{{'"
    }
    let hint =
      names.isEmpty && NearestName.of(name, in: SourceFields.names) == nil
      ? ": define it in 'variables' or 'matrix', or write '{{\(name)}}'"
      : NearestName.hint(name, in: names + SourceFields.names)
    return "unknown field '{\(name)}'\(hint)"
  }
}

/// The fields of a source that chains may use, since they are known before it is read.
enum SourceFields {
  static let names = ["name", "host", "dir", "path"]

  /// The fields' values for a job.
  static func values(_ job: Job) -> [String: String] {
    let source = job.sources.first
    return [
      "name": source?.fileName ?? "", "host": source?.host ?? "", "path": source?.directoryPath ?? "",
      "dir": job.sourceDirectory ?? source?.directories.joined(separator: "/") ?? "",
    ]
  }
}
