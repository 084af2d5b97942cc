import Testing

@testable import ImageFilters

/// American and British spellings of one name.
@Suite("Spellings", .timeLimit(.minutes(8)))
struct SpellingTests {
  private static func british(_ text: String) -> String {
    text.replacing("color", with: "colour").replacing("center", with: "centre").replacing(
      "gray", with: "grey"
    )
    .replacing("normalize", with: "normalise").replacing("equalize", with: "equalise")
    .replacing("posterize", with: "posterise")
  }

  private static func american(_ text: String) -> String {
    text.replacing("colour", with: "color").replacing("centre", with: "center").replacing(
      "grey", with: "gray")
  }

  @Test("every filter, alias and parameter is found by either, in any case")
  func names() {
    for definition in FilterTable.all {
      for name in [definition.name] + definition.aliases.map(\.name) {
        for spelling in [name, Self.british(name), Self.american(name), Self.british(name).uppercased()] {
          #expect(FilterTable.definition(named: spelling)?.name == definition.name, "\(spelling)")
        }
      }
    }
  }

  @Test("names don't meet: no two filters, parameters or words are the same in another spelling")
  func collisions() {
    func check(_ names: [String]) {
      #expect(Set(names.map(Spelling.normalized)).count == names.count, "\(names)")
    }
    var owners: [String: String] = [:]
    for definition in FilterTable.all {
      for name in [definition.name] + definition.aliases.map(\.name) {
        let owner = owners.updateValue(definition.name, forKey: Spelling.normalized(name))
        #expect(owner == nil || owner == definition.name, "\(name)")
      }
    }
    for definition in FilterTable.all {
      check(definition.parameters.map(\.name))
      for parameter in definition.parameters {
        if case .choice(let words) = parameter.type { check(words) }
      }
    }
  }

  @Test("messages have the spelling of the manual, for every filter, parameter and word")
  func messages() {
    var texts: [String] = []
    func say(_ chain: String) {
      do throws(FilterError) { _ = try FilterChain(parsing: chain) } catch { texts.append(error.message) }
    }
    for filter in FilterTable.all {
      say(filter.name)
      say("\(filter.name):nosuch=1")
      for parameter in filter.parameters {
        say("\(filter.name):\(parameter.name)=")
        say("\(filter.name):\(parameter.name)=centrex")
        say("\(filter.name):\(parameter.name)=1:\(parameter.name)=1")
        say("\(filter.name):\(parameter.name)=\(String(repeating: "1", count: 70_000))")
        // A word that is nearest to a British one, which isn't suggested.
        for word in parameter.type.words where Self.british(word) != word {
          say("\(filter.name):\(parameter.name)=\(Self.british(word))q")
        }
      }
    }
    say("fill:10x10:middle")
    #expect(texts.count > 300)
    for text in texts {
      // What was typed is repeated.
      let own = text.replacing(#/^'[^']*'/#, with: "")
      #expect(
        Spelling.american(own) == own || own.contains("(did you mean '") && own.contains("grey"), "\(text)")
    }
    #expect(texts.contains { $0.hasPrefix("'centrex' is not a valid color for tint; ") })
    #expect(
      texts.contains { $0.hasPrefix("text has no parameter 'nosuch'; it takes string, font, size, color,") })
  }

  @Test(
    "a chain has one identifier in both, which keeps colour and centre",
    arguments: [
      "tint:colour=red", "text:a:colour=#fff", "overlay:x:gravity=centre:blend=colour-dodge",
      "overlay:x:blend=colour-burn", "extend:4:mode=colour", "fill:10x10:gravity=centre",
      "pad:10x10:gravity=CENTRE",
      "greyscale", "normalise", "posterise:4",
    ])
  func chains(text: String) throws {
    let british = try FilterChain(parsing: text)
    let american = try FilterChain(
      parsing: Self.american(text).replacing("CENTRE", with: "CENTER").replacing("lise", with: "lize")
        .replacing("rise", with: "rize"))
    #expect(british.identifier == american.identifier)
    #expect(!british.identifier.contains("color=") && !british.identifier.contains("center"))
    #expect(try FilterChain(parsing: british.identifier) == british)
  }
}
