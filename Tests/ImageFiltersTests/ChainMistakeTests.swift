import Testing

@testable import ImageFilters

@Suite("Mistakes in chains", .timeLimit(.minutes(8)))
struct ChainMistakeTests {
  private func messages(_ text: String) -> [String] { FilterChain.mistakes(in: text).map(\.message) }

  @Test("a comma in a text is written %2C, and whoever does that has a valid chain")
  func commas() throws {
    #expect(
      messages("flip,text:Hello, dear, world:sans,circle") == [
        "unknown filter 'dear'; if it belongs to the text, write the comma as %2C: text:Hello%2C dear%2C world:sans"
      ])
    let first = #expect(throws: FilterError.self) { try FilterChain(parsing: "text:Hello, world") }
    #expect(first?.message == messages("text:Hello, world").first && first?.offset == 12)
    #expect(try FilterChain(parsing: "text:Hello%2C dear%2C world:sans").count == 1)
  }

  @Test("another unknown filter has no such hint")
  func others() {
    #expect(messages("text:Hello,cirle") == ["unknown filter 'cirle' (did you mean 'circle'?)"])
    #expect(messages("text:Hello,circle,worldly") == ["unknown filter 'worldly'"])
    #expect(messages("worldly,text:Hello") == ["unknown filter 'worldly'"])
  }

  @Test("a wrong side of a size is one mistake, at its place")
  func sides() {
    func mistakes(_ arguments: (String, String)...) -> [FilterError] {
      FilterChain.mistakes(name: "fit", arguments: arguments.map { ($0.0, $0.1) })
    }
    let height = mistakes(("width", "3"), ("height", "x"))
    #expect(
      height.map(\.message) == ["'x' is not a valid height for fit; expected a whole number, 1…65535"])
    #expect(height.first?.offset == 1)
    let both = mistakes(("width", "0"), ("height", "x"))
    #expect(both.count == 2 && both.map(\.offset) == [0, 1])
    #expect(mistakes(("width", "3"), ("height", "")).isEmpty)
  }
}
