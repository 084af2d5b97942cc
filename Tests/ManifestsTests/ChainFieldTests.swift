import Foundation
import ImageBatch
import ImageFilters
import TestSupport
import Testing

@testable import Manifests

/// Fields of a chain: a value is a value, whatever it holds.
@Suite("Fields of chains", .timeLimit(.minutes(8)))
struct ChainFieldTests {
  private static func options(_ chain: String) throws -> ManifestOptions {
    var options = ManifestOptions()
    options.outputTemplate = try OutputTemplate(parsing: "{index}.png")
    options.appendedChain = try ChainTemplate(parsing: chain)
    return options
  }

  private static func read(_ text: String, _ form: LineForm, chain: String) async throws -> [LineJobs.Element]
  {
    let pipe = try TestPipe()
    try pipe.write(text.utf8)
    pipe.finish()
    var result: [LineJobs.Element] = []
    for await element in try LineJobs(
      descriptor: pipe.reading, name: "c", LineOptions(form), options(chain))
    {
      result.append(element)
    }
    return result
  }

  private static func chains(_ elements: [LineJobs.Element]) throws -> [String] {
    try elements.map { try $0.get().outputs[0].chain.identifier }
  }

  private static func identifier(_ chain: String) throws -> String {
    try FilterChain(parsing: chain).identifier
  }

  @Test(
    "the command line's chain takes fields from every kind of record",
    arguments: [
      (LineForm.csv, "source,sku\na.png,K-1\nb.png,\"L,2\"\n"),
      (.tsv, "source\tsku\na.png\tK-1\nb.png\tL,2\n"),
      (.ndjson, "{\"source\":\"a.png\",\"sku\":\"K-1\"}\n{\"source\":\"b.png\",\"sku\":\"L,2\"}\n"),
    ])
  func records(form: LineForm, text: String) async throws {
    let found = try await Self.read(text, form, chain: "fit:200x,text:{sku}:size=9,flip")
    #expect(
      try Self.chains(found) == [
        try Self.identifier("fit:200x,text:K-1:size=9,flip"),
        try Self.identifier("fit:200x,text:L%2C2:size=9,flip"),
      ])
  }

  @Test("it takes a bare line's name, host and directory")
  func bareLines() async throws {
    let found = try await Self.read(
      "photos/2026/a.png\nhttps://h.example/x/b.png\n", .sources, chain: "text:{host}/{dir}/{name}")
    #expect(
      try Self.chains(found) == [
        try Self.identifier("text:/photos/2026/a"), try Self.identifier("text:h.example/x/b"),
      ])
  }

  @Test("doubled braces are braces")
  func literalBraces() async throws {
    let found = try await Self.read("a.png\n", .sources, chain: "text:{{sku}}")
    #expect(try Self.chains(found) == [try Self.identifier("text:{sku}")])
  }

  @Test("a column called filter is a chain still, and comes before the command line's")
  func chainColumn() async throws {
    let found = try await Self.read(
      "source,filter,n\na.png,\"flip,text:{n}\",7\n", .csv, chain: "text:{n}")
    #expect(try Self.chains(found) == [try Self.identifier("flip,text:7,text:7")])
  }

  @Test("a field that no column defines is one mistake, with what was meant, not one for each row")
  func unknownField() async throws {
    let found = try await Self.read("source,sku\na.png,1\nb.png,2\n", .csv, chain: "text:{skuu}")
    #expect(found.count == 1)
    #expect(throws: ManifestDiagnostic.self) { try found[0].get() }
    guard case .failure(let diagnostic) = found[0] else { return }
    #expect(diagnostic.message == "the appended chain: unknown field '{skuu}' (did you mean 'sku'?)")
    let other = try await Self.read("source,sku\na.png,1\n", .csv, chain: "text:{price}")
    guard case .failure(let listed) = try #require(other.first) else { return }
    #expect(
      listed.message == "the appended chain: unknown field '{price}' (known: sku, name, host, dir, path)")
  }

  @Test("what is known only when the output is made can't be in its chain")
  func laterField() async throws {
    #expect(throws: ManifestErrors.self) {
      try LineJobs(
        descriptor: 0, name: "-", LineOptions(.sources), try Self.options("text:{hash}"))
    }
  }

  @Test(
    "a chain that no value can mend is refused before anything is read",
    arguments: ["text:{a", "text:a}", "crcle,text:{a}", "fit:,text:{a}", "flip,,text:{a}"])
  func wrongTemplates(chain: String) {
    #expect(throws: FilterError.self) { try ChainTemplate(parsing: chain) }
  }

  @Test("a value adds no filter and no argument, whatever it holds")
  func values() throws {
    let seed = SeededRandom.seed
    var random = SeededRandom(seed: seed)
    // The grammar's characters, those that hide them from a reader of characters, and some of neither kind.
    let scalars = Array(",:=%{}2C5DA3 \n\t\"'\\/é日\u{301}\u{20DD}\u{200D}\u{FE0F}👍".unicodeScalars)
    for _ in 0..<5000 {
      var value = String.UnicodeScalarView()
      for _ in 0..<Int.random(in: 1...12, using: &random) {
        value.append(scalars.randomElement(using: &random) ?? "x")
      }
      let text = String(value)
      let expected: FilterChain
      do {
        expected = try FilterChain(name: "text", arguments: [(nil, text)])
      } catch {
        continue
      }
      let values = FieldSubstitution(matrix: [:], variables: ["v": text])
      let filled = try ChainTemplate(parsing: "flip,text:{v},flop")
        .filled(values, ManifestDirectory(path: "", allowsOutside: false))
      let (flip, flop) = (try FilterChain(parsing: "flip"), try FilterChain(parsing: "flop"))
      #expect(try filled == FilterChain([flip, expected, flop]), "\(text.debugDescription)")
      // The same in a manifest's chain.
      let chain = try values.applied(to: "text:{v}", inChain: true)
      #expect(try FilterChain(parsing: chain) == expected, "\(text.debugDescription)")
    }
  }

  @Test("a path that a field gives to an overlay stays in the manifest's directory")
  func overlays() async throws {
    let found = try await Self.read(
      "source,logo\na.png,b.png\na.png,/etc/c.png\na.png,../d.png\n", .csv, chain: "overlay:{logo}")
    let complaints = found.map { element -> String in
      if case .failure(let diagnostic) = element { diagnostic.message } else { "" }
    }
    #expect(complaints[0].isEmpty)
    #expect(complaints[1].contains("outside the manifest's directory"))
    #expect(complaints[2].contains("outside the manifest's directory"))
  }
}
