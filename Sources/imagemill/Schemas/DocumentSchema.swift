import Manifests

/// The form of a JSON document that the program prints, and its JSON Schema.
struct DocumentSchema: Sendable {
  /// The form of a value.
  indirect enum Form: Sendable {
    case text, integer, number, flag, digest
    /// The number 1.
    case one
    /// Any JSON value.
    case any
    case words([String])
    case list(Form)
    /// An object whose names are data.
    case map(Form)
    case object([Member])
    /// The form, or null.
    case nullable(Form)
  }

  /// A member of an object.
  struct Member: Sendable {
    let name: String
    let form: Form
    let isRequired: Bool
    var summary = ""

    /// A member that every object has.
    static func required(_ name: String, _ form: Form, _ summary: String = "") -> Member {
      Member(name: name, form: form, isRequired: true, summary: summary)
    }

    /// A member that is left out if it is unknown.
    static func optional(_ name: String, _ form: Form, _ summary: String = "") -> Member {
      Member(name: name, form: form, isRequired: false, summary: summary)
    }
  }

  /// The document's name, as in `imagemill schema result`.
  let name: String
  let summary: String
  /// The members besides `version`. Several lists are alternatives.
  let alternatives: [[Member]]

  init(_ name: String, _ summary: String, _ members: [Member]) {
    self.init(name, summary, alternatives: [members])
  }

  init(_ name: String, _ summary: String, alternatives: [[Member]]) {
    (self.name, self.summary, self.alternatives) = (name, summary, alternatives)
  }

  /// The schema as JSON, with a line break at the end.
  var json: String {
    let head: [(String, SchemaValue)] = [
      ("$schema", "https://json-schema.org/draft/2020-12/schema"), ("title", .text("imagemill \(name)")),
      ("description", .text(summary)),
    ]
    let version = Member.required("version", .one, "The version of the document's form.")
    let bodies = alternatives.map { Self.members([version] + $0) }
    if bodies.count == 1, let body = bodies.first { return SchemaValue.object(head + body).text() + "\n" }
    return SchemaValue.object(head + [("anyOf", .list(bodies.map { .object($0) }))]).text() + "\n"
  }

  private static func members(_ members: [Member]) -> [(String, SchemaValue)] {
    let properties = members.map { member in
      let summary: [(String, SchemaValue)] =
        member.summary.isEmpty ? [] : [("description", .text(member.summary))]
      return (member.name, schema(member.form).adding(summary))
    }
    return [
      ("type", "object"), ("properties", .object(properties)),
      ("required", .list(members.filter(\.isRequired).map { .text($0.name) })),
      ("additionalProperties", false),
    ]
  }

  private static func schema(_ form: Form) -> SchemaValue {
    switch form {
    case .text: ["type": "string"]
    case .integer: ["type": "integer"]
    case .one: ["const": 1]
    case .number: ["type": "number"]
    case .flag: ["type": "boolean"]
    case .digest: ["type": "string", "pattern": "^[0-9a-f]{64}$"]
    case .any: .object([])
    case .words(let words): ["enum": .list(words.map { .text($0) })]
    case .list(let form): ["type": "array", "items": schema(form)]
    case .map(let form): ["type": "object", "additionalProperties": schema(form)]
    case .object(let own): .object(members(own))
    case .nullable(let form): ["anyOf": [schema(form), ["type": "null"]]]
    }
  }
}
