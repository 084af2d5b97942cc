import Foundation
import ImageFilters
import TestSupport
import Testing
import Vips

@testable import ImageRendering

@Suite("The table of encoders", .timeLimit(.minutes(8)))
struct EncoderTableTests {
  private func resolved(_ format: OutputFormat, _ name: String, _ text: String) throws(EncodingSettingsError)
    -> Encoding
  {
    var settings = EncodingSettings()
    settings.options[name] = text
    return try Encoding(resolving: settings, pathExtension: format.pathExtension)
  }

  @Test("has each format once, in the order of the formats, with names that mean one format each")
  func names() {
    #expect(EncoderTable.all.map(\.format) == OutputFormat.allCases)
    var seen: [String: OutputFormat] = [:]
    for definition in EncoderTable.all {
      #expect(definition.pathExtensions.contains(definition.format.pathExtension))
      #expect(definition.mediaType.hasPrefix("image/"))
      #expect(EncoderTable.definition(of: definition.format) == definition)
      #expect(Set(definition.options.map(\.name)).count == definition.options.count)
      for name in Set(definition.pathExtensions + [definition.format.rawValue]) {
        #expect(seen.updateValue(definition.format, forKey: name) == nil, "\(name)")
        for spelling in [name, name.uppercased(), name.capitalized] {
          #expect(EncoderTable.format(named: spelling) == definition.format)
        }
      }
    }
    for name in ["", ".png", "png ", "auto", "same", "bmp", "jpeg2000"] {
      #expect(EncoderTable.format(named: name) == nil, "\(name)")
    }
  }

  @Test("what a format holds agrees with itself")
  func abilities() {
    for definition in EncoderTable.all {
      #expect(!definition.holdsTiming || definition.holdsFrames)
      #expect(definition.longestSide > 10_000)
      for option in definition.options { #expect(!option.help.isEmpty && !option.valueText.isEmpty) }
    }
    #expect(EncoderTable.all.filter(\.holdsTiming).map(\.format) == [.webp, .gif])
    #expect(EncoderTable.all.filter { !$0.holdsAlpha }.map(\.format) == [.jpeg])
  }

  /// Values within and beyond an option's own.
  private func texts(_ option: EncoderOption) -> (right: [(String, OptionValue)], wrong: [String]) {
    switch option.kind {
    case .integer(let range, _):
      (
        [range.lowerBound, range.upperBound, (range.lowerBound + range.upperBound) / 2].map {
          ("\($0)", .integer($0))
        },
        [
          "\(range.lowerBound - 1)", "\(range.upperBound + 1)", "", "x", "1.5", " 1", "1 ", "0x1",
          "99999999999999999999",
        ]
      )
    case .number(let range, _):
      (
        [range.lowerBound, range.upperBound, 0.5].map { ("\($0)", .number($0)) },
        ["\(range.lowerBound - 0.01)", "\(range.upperBound + 0.01)", "", "nan", "inf", "-inf", "x", "1,5"]
      )
    case .flag:
      (
        ["true", "yes", "on", "1", "TRUE"].map { ($0, .flag(true)) }
          + ["false", "no", "off", "0", "No"].map { ($0, .flag(false)) }, ["", "2", "y", "truth", " true"]
      )
    case .choice(let words):
      (
        words.flatMap { [($0, .choice($0)), ($0.uppercased(), .choice($0))] },
        ["", "x", words.joined(separator: "|")]
      )
    }
  }

  @Test("takes the values of every option up to its ends, and none beyond", arguments: OutputFormat.allCases)
  func values(format: OutputFormat) throws {
    let definition = try #require(EncoderTable.definition(of: format))
    for option in definition.options {
      let (right, wrong) = texts(option)
      for (text, value) in right {
        #expect(
          try resolved(format, option.name, text).option(option.name) == value, "\(option.name)=\(text)")
      }
      for text in wrong {
        let error = #expect(throws: EncodingSettingsError.self) { try resolved(format, option.name, text) }
        #expect(
          error?.setting == "encode.\(option.name)" && error?.code == .badValue, "\(option.name)=\(text)")
        #expect(error?.message.contains(option.valueText) == true)
      }
    }
  }

  @Test(
    "an identifier changes with every value of every option, and with nothing else",
    arguments: OutputFormat.allCases)
  func identifiers(format: OutputFormat) throws {
    let definition = try #require(EncoderTable.definition(of: format))
    var byValue: [[String: OptionValue]: String] = [:]
    for option in definition.options {
      for (text, _) in texts(option).right {
        let encoding = try resolved(format, option.name, text)
        if let known = byValue[encoding.options] {
          #expect(known == encoding.identifier)
        } else {
          #expect(!byValue.values.contains(encoding.identifier), "\(option.name)=\(text)")
        }
        byValue[encoding.options] = encoding.identifier
        #expect(encoding.identifier.hasPrefix(format.rawValue + ":"))
      }
    }
  }

  @Test("an option of another format is unknown, unless one of several formats has it")
  func unknownOptions() throws {
    for definition in EncoderTable.all {
      for other in EncoderTable.all {
        for option in other.options where definition.option(option.name) == nil {
          let error = #expect(throws: EncodingSettingsError.self) {
            try resolved(definition.format, option.name, "1")
          }
          #expect(error?.code == .unknownSetting)
          var settings = EncodingSettings()
          settings.format = "\(definition.format.rawValue),\(other.format.rawValue)"
          settings.options[option.name] = option.defaultValue.description
          let both = try Encoding(resolving: settings, pathExtension: nil)
          #expect(both.choices[1].option(option.name) == option.defaultValue)
        }
      }
    }
  }

  @Test("a wanted size searches from the highest quality, unless a quality is given")
  func maxBytes() throws {
    for definition in EncoderTable.all {
      var settings = EncodingSettings()
      settings.maxBytes = 1000
      let free = try Encoding(resolving: settings, pathExtension: definition.format.pathExtension)
      #expect(free.maxBytes == 1000)
      #expect(free.option("quality") == (definition.option("quality") == nil ? nil : .integer(100)))
      settings.quality = "70"
      let given = try Encoding(resolving: settings, pathExtension: definition.format.pathExtension)
      #expect(given.option("quality") == (definition.option("quality") == nil ? nil : .integer(70)))
    }
  }

  @Test("settings override what they say, and nothing else")
  func overriding() {
    let seed = SeededRandom.seed
    var values = RandomValues(seed: seed)
    func settings(_ values: inout RandomValues) -> EncodingSettings {
      var result = EncodingSettings()
      result.format = values.optional { $0.text() }
      result.quality = values.optional { $0.text() }
      for name in ["a", "b", "c"] where values.chance(2) { result.options[name] = values.text() }
      result.metadata = values.optional { $0.text() }
      result.profile = values.optional { $0.text() }
      result.background = values.optional { $0.text() }
      result.frames = values.optional { $0.text() }
      result.orient = values.optional { $0.text() }
      result.maxBytes = values.optional { $0.number() }
      result.minSavings = values.optional { $0.text() }
      return result
    }
    for _ in 0..<200 {
      let (one, two, three) = (settings(&values), settings(&values), settings(&values))
      let both = one.overridden(by: two)
      #expect(both.overridden(by: two) == both, "seed \(seed)")
      #expect(one.overridden(by: EncodingSettings()) == one && EncodingSettings().overridden(by: one) == one)
      #expect(
        one.overridden(by: two).overridden(by: three) == one.overridden(by: two.overridden(by: three)),
        "seed \(seed)")
      #expect(both.profile == two.profile ?? one.profile && both.maxBytes == two.maxBytes ?? one.maxBytes)
      for name in ["a", "b", "c"] { #expect(both.options[name] == two.options[name] ?? one.options[name]) }
    }
  }

  @Test("`same` is the source's own format, with the options that are given for it")
  func following() throws {
    var settings = EncodingSettings()
    settings.format = "same"
    settings.quality = "33"
    let encoding = try Encoding(resolving: settings, pathExtension: nil)
    #expect(encoding.followsSource && encoding.formatText == "same")
    for format in OutputFormat.allCases {
      let source = try #require(ImageFormat(rawValue: format.rawValue))
      let own = try #require(encoding.following(source))
      #expect(own.format == format && own.alternatives.isEmpty)
      if own.option("quality") != nil { #expect(own.option("quality") == .integer(33)) }
    }
    for format in ImageFormat.allCases where OutputFormat(rawValue: format.rawValue) == nil {
      #expect(encoding.following(format) == nil, "\(format)")
    }
  }

  @Test("a transition needs a format with frames that have times, and there is one at most")
  func transitions() throws {
    let chain = try FilterChain(parsing: "transition:before:crossdissolve:400ms:30")
    for definition in EncoderTable.all {
      let encoding = try Encoding(
        resolving: EncodingSettings(), pathExtension: definition.format.pathExtension)
      try encoding.check(FilterChain())
      if definition.holdsTiming {
        try encoding.check(chain)
      } else {
        #expect(throws: EncodingSettingsError.self) { try encoding.check(chain) }
      }
    }
    var settings = EncodingSettings()
    settings.format = "jpeg,webp"
    try Encoding(resolving: settings, pathExtension: nil).check(chain)
  }
}
