import TestSupport

/// A value of a manifest as a test makes it up, whatever it is written in.
indirect enum ModelValue: Hashable, Sendable {
  case text(String)
  case number(Int)
  case flag(Bool)
  case list([ModelValue])
  case mapping([Member])

  struct Member: Hashable, Sendable {
    var key: String
    var value: ModelValue
  }

  static func object(_ members: [(String, ModelValue)]) -> ModelValue {
    .mapping(members.map { Member(key: $0.0, value: $0.1) })
  }

  var members: [Member] { if case .mapping(let members) = self { members } else { [] } }
}

/// Random manifests that are right.
struct RandomManifest {
  var random: SeededRandom

  init(seed: UInt64) { random = SeededRandom(seed: seed) }

  mutating func int(_ range: ClosedRange<Int>) -> Int { .random(in: range, using: &random) }
  mutating func chance(_ count: Int) -> Bool { int(1...count) == 1 }
  mutating func element<Value>(_ values: [Value]) -> Value { values[int(0...(values.count - 1))] }

  /// Text that is awkward to write in some form.
  mutating func text() -> String {
    let parts = [
      "a", "Ada", " ", "'", "\"", "\\", "#", ": ", "- ", "é", "日本", "😀", "null", "true", "1.5", "~", "\n",
      "\t", "%", "&",
      "*", "!", "|", ">", "[", ",", "$", "=", "0x1F", "\u{e000}", "\r\n", "\u{7}", "--- ",
    ]
    return (0..<int(0...5)).map { _ in element(parts) }.joined()
  }

  mutating func scalar() -> ModelValue {
    switch int(0...3) {
    case 0: .number(int(-1000...1000))
    case 1: .flag(chance(2))
    default: .text(text())
    }
  }

  mutating func chain() -> ModelValue {
    switch int(0...3) {
    case 0: .text(element(["flip", "fit:10x10", "fill:100x100,circle", "blur:2.5,sharpen"]))
    case 1: .list([.text("flip"), .object([("blur", .number(int(1...9)))])])
    case 2: .list([.object([("fit", .object([("width", .number(int(1...99))), ("height", .number(7))]))])])
    default: .text("small")
    }
  }

  private mutating func settings(_ members: inout [(String, ModelValue)]) {
    if chance(2) { members.append(("filter", chain())) }
    if chance(3) { members.append(("quality", chance(2) ? .number(int(1...100)) : .text("\(int(1...100))"))) }
    if chance(4) { members.append(("metadata", .text(element(["none", "copyright", "all"])))) }
    if chance(4) { members.append(("background", .text(element(["red", "#123", "#a0b1c2"])))) }
    if chance(4) { members.append(("frames", chance(2) ? .number(int(1...9)) : .text("first"))) }
    if chance(4) { members.append(("max-bytes", chance(2) ? .number(int(100...9999)) : .text("200kB"))) }
    if chance(4) { members.append(("orient", .text("keep"))) }
    if chance(4) { members.append(("markup", .object([("alt", scalar()), ("loading", .text("lazy"))]))) }
  }

  private mutating func job(_ index: Int) -> ModelValue {
    var members: [(String, ModelValue)] = []
    members.append(
      ("source", chance(3) ? .list([.text("a\(index).png"), .text("b.jpg")]) : .text("a\(index).png")))
    if chance(4) {
      members.append(("sha256", .text(String(repeating: element(["a", "0", "F"]), count: 64))))
    }
    if chance(3) { members.append(("priority", .number(int(-5...50)))) }
    if chance(4) { members.append(("placeholder", .text("none.png"))) }
    if chance(4) { members.append(("publish", .text(element(["best", "progressive"])))) }
    var variables = [("one", scalar())]
    if chance(2) { variables.append(("two", .text(text()))) }
    members.append(("variables", .object(variables)))
    settings(&members)
    if chance(2) {
      let format = element(["png", "jpg", "webp"])
      members.append(("output", .text("\(index)-{one}.\(format)")))
      // PNG has no quality.
      if format == "png" { members.removeAll { $0.0 == "quality" } }
    } else {
      var outputs: [ModelValue] = []
      var hasQuality = false
      for position in 0..<int(1...3) {
        var output: [(String, ModelValue)] = []
        let isGIF = chance(3)
        if isGIF {
          output.append(
            ("matrix", .object([("w", .list([.number(1), .number(2)])), ("v", .list([scalar()]))])))
          output.append(("output", .text("\(index)-\(position)-{w}-{{x}}.gif")))
        } else {
          output.append(("output", .text("\(index)-\(position)-{index:03}.jpeg")))
        }
        settings(&output)
        // Neither has GIF.
        if isGIF { output.removeAll { $0.0 == "quality" } } else { hasQuality = true }
        if chance(3) {
          output.append(("encode", .object([(position >= 0 && chance(2) ? "effort" : "dither", .number(1))])))
        }
        outputs.append(.object(output.filter { $0.0 != "encode" || "\(output)".contains(".gif") }))
      }
      members.append(("outputs", .list(outputs)))
      if !hasQuality { members.removeAll { $0.0 == "quality" } }
    }
    return .object(members.shuffled(using: &random))
  }

  mutating func manifest() -> ModelValue {
    var members: [(String, ModelValue)] = [
      ("imagemill", chance(2) ? .number(1) : .text("1")),
      (
        "filters",
        .object([("small", .text("fit:10x10")), ("smaller", .list([.text("small"), .text("flip")]))])
      ),
    ]
    if chance(2) { members.append(("base", .text("https://a.example/x/"))) }
    if chance(2) { members.append(("output-dir", .text("out"))) }
    if chance(2) {
      members.append(("sources", .object([("logo", .text("./logo.png")), ("other", .text("x/y.png"))])))
    }
    if chance(2) {
      var defaults: [(String, ModelValue)] = [
        ("variables", .object([("three", scalar()), ("one", scalar())]))
      ]
      settings(&defaults)
      members.append(("defaults", .object(defaults)))
    }
    if chance(3) {
      members.append(
        (
          "origins",
          .object([
            (
              "https://a.example",
              .object([("headers", .object([("X-A", .text("b"))])), ("max-active", .number(3))])
            )
          ])
        ))
    }
    members.append(("jobs", .list((1...int(1...4)).map { job($0) })))
    return .object(members)
  }
}
