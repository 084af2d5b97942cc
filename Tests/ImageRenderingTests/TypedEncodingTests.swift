import ImageRendering
import TestSupport
import Testing

@Suite("Typed encodings", .timeLimit(.minutes(8)))
struct TypedEncodingTests {
  /// Writes `TypedEncodings.swift` from the table of encoders.
  private var file: GeneratedFile {
    var lines = [
      "// swift-format-ignore-file", "// Generated from EncoderTable by `make generated`.", "",
      "extension Encoding {",
    ]
    var words: [(name: String, words: [String], help: String)] = []
    for definition in EncoderTable.all {
      let format = definition.format.rawValue
      lines += ["  /// \(definition.mediaType).", "  /// - Parameters:"]
      var declarations: [String] = []
      var values: [String] = []
      for option in definition.options {
        let name = GeneratedSwift.identifier(option.name)
        lines.append("  ///   - \(name): \(option.help) Values: \(option.valueText).")
        let (type, value, kind, member): (String, String, String, String)
        switch option.kind {
        case .integer(_, let number): (type, value, kind, member) = ("Int", "\(number)", "integer", "")
        case .number(_, let number): (type, value, kind, member) = ("Double", "\(number)", "number", "")
        case .flag(let flag): (type, value, kind, member) = ("Bool", "\(flag)", "flag", "")
        case .choice(let choices):
          let enumeration = GeneratedSwift.capitalized(format) + GeneratedSwift.capitalized(name)
          words.append((enumeration, choices, option.help))
          (type, value, kind, member) =
            (enumeration, "." + GeneratedSwift.caseName(choices[0]), "choice", ".rawValue")
        }
        declarations.append("\(name): \(type) = \(value)")
        values.append("\"\(option.name)\": .\(kind)(\(name)\(member))")
      }
      lines += [
        "  public static func \(format)(", "    \(declarations.joined(separator: ", "))", "  ) -> Encoding {",
        "    Encoding(", "      typed: .\(format),", "      [\(values.joined(separator: ", "))])", "  }", "",
      ]
    }
    for (name, choices, help) in words {
      lines += GeneratedSwift.enumeration(name, of: choices, summary: help) + [""]
    }
    lines.removeLast()
    return GeneratedFile("Sources/ImageRendering/Encoding/TypedEncodings.swift", lines: lines + ["}"])
  }

  @Test("TypedEncodings.swift is what the table says; `make generated` writes it")
  func current() throws {
    #expect(try file.isCurrent())
  }
}
