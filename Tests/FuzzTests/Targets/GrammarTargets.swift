import ImageFilters
import SystemIO

@testable import ImageBatch
@testable import Manifests

extension FuzzTarget {
  /// Filter chains, with and without fields.
  static let chain = text("chain") { text in
    if let chain = accepted({ () throws(FilterError) in try FilterChain(parsing: text) }) {
      let again = accepted { () throws(FilterError) in try FilterChain(parsing: chain.identifier) }
      try require(again, is: chain, "the identifier '\(chain.identifier)' is another chain")
      try require(again?.identifier, is: chain.identifier, "the identifier isn't canonical")
    }
    // A value can't add filters or arguments.
    let value = FilterChain.escaped(text)
    try require(!value.utf8.contains { [0x2C, 0x3A, 0x3D].contains($0) }, "'\(value)' isn't escaped")
    if let chain = accepted({ () throws(FilterError) in try FilterChain(parsing: "text:\(value)") }) {
      try require(chain.count, is: 1, "filters of 'text:\(value)'")
    }
    _ = accepted { () throws(FilterError) in try ChainTemplate(parsing: text) }
  }

  /// Templates of outputs, expanded with hostile values.
  static let template = text("template") { text in
    if let fields = accepted({ () throws(FieldText.Failure) in try FieldText(parsing: text) }) {
      var printed = ""
      for segment in fields.segments {
        switch segment {
        case .literal(let literal): printed += FieldText.braced(literal)
        case .field(let name, _): printed += "{\(name)}"
        }
      }
      let again = accepted { () throws(FieldText.Failure) in try FieldText(parsing: printed) }
      try require(again?.literal, is: fields.literal, "the literal text of '\(printed)'")
      try require(again?.fields.map(\.name), is: fields.fields.map(\.name), "the fields of '\(printed)'")
    }
    guard let template = accepted({ () throws(TemplateError) in try OutputTemplate(parsing: text) }),
      !template.leavesDirectory
    else { return }
    for hostile in ["", "..", "/", "../../etc/passwd", ".", "\u{301}", "a\0b", "\u{2024}\u{2024}/"] {
      var values = OutputTemplate.Values(
        name: hostile, host: hostile, path: hostile, index: 1, format: .png, filter: hostile)
      values.directory = hostile
      values.sourceDigest = .init(hashing: [])
      values.rendered = (1, 1, .init(hashing: []))
      let variables = Dictionary(
        uniqueKeysWithValues: Set(template.unknownFields(variables: []).map(\.name)).map { ($0, hostile) })
      guard let path = template.expanded(values, variables: variables) else {
        throw Finding(description: "'\(text)' isn't expanded")
      }
      // A template's own slashes and dots may lead outside together with empty values, which the writer checks.
      let hasDots = template.parts.contains { part in
        if case .literal(let literal) = part { literal.utf8.contains(UInt8(ascii: ".")) } else { false }
      }
      try require(hasDots || hostile.isEmpty || !Paths.leaves(path), "'\(path)' leaves the directory")
      try require(!path.utf8.contains(0), "'\(path)' has a NUL")
    }
  }
}
