import SystemIO

/// A JSON value whose objects keep the order of their members.
package indirect enum SchemaValue: ExpressibleByStringLiteral, ExpressibleByBooleanLiteral,
  ExpressibleByIntegerLiteral,
  ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
  case text(String)
  case number(Int)
  case bool(Bool)
  case list([SchemaValue])
  case object([(String, SchemaValue)])

  package init(stringLiteral value: String) { self = .text(value) }
  package init(booleanLiteral value: Bool) { self = .bool(value) }
  package init(integerLiteral value: Int) { self = .number(value) }
  package init(arrayLiteral elements: SchemaValue...) { self = .list(elements) }
  package init(dictionaryLiteral elements: (String, SchemaValue)...) { self = .object(elements) }

  package func adding(_ members: [(String, SchemaValue)]) -> SchemaValue {
    guard case .object(let own) = self else { return self }
    return .object(own + members)
  }

  /// The value as JSON, indented by two spaces per level.
  package func text(indentation: String = "") -> String {
    let inner = indentation + "  "
    switch self {
    case .text(let text): return JSONText.quoted(text)
    case .number(let number): return String(number)
    case .bool(let flag): return flag ? "true" : "false"
    case .list(let values):
      if values.isEmpty { return "[]" }
      return "[\n" + values.map { inner + $0.text(indentation: inner) }.joined(separator: ",\n")
        + "\n\(indentation)]"
    case .object(let members):
      if members.isEmpty { return "{}" }
      let lines = members.map { inner + JSONText.quoted($0.0) + ": " + $0.1.text(indentation: inner) }
      return "{\n" + lines.joined(separator: ",\n") + "\n\(indentation)}"
    }
  }
}
