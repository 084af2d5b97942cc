import Testing

@testable import ImageFilters

/// What each type of parameter takes, and what it is written as.
@Suite("Types of parameters", .timeLimit(.minutes(8)))
struct ParameterTypeTests {
  private func check(_ type: ParameterType, _ accepted: [(String, String)], _ refused: [String]) {
    for (text, identifier) in accepted {
      let value = type.value(of: text)
      #expect(value?.identifier == identifier, "\(type): \(text)")
      // What is written reads back as the same value.
      #expect(type.value(of: Escaping.unescaped(identifier)) == value, "\(type): \(text)")
    }
    for text in refused + ["\0"] { #expect(type.value(of: text) == nil, "\(type): \(text)") }
    #expect(!type.summary.isEmpty)
  }

  @Test("numbers lie in their range, in digits")
  func numbers() {
    check(
      .number(-1...2.5),
      [
        ("0", "0"), ("-0", "0"), ("+1", "1"), ("2.5", "2.5"), ("-1", "-1"), ("1.", "1"), (".5", "0.5"),
        ("1e0", "1"), ("25e-1", "2.5"), ("2.50", "2.5"), ("0.1", "0.1"), ("1E-3", "0.001"), ("00.5", "0.5"),
      ],
      [
        "", " ", "2.5000001", "-1.0000001", "1 ", " 1", "1,5", "0x1", "inf", "nan", "1e", "e1", "--1", "1-1",
        "1px",
        "1%", "٣", "1e400", "one",
      ])
  }

  @Test("whole numbers are whole")
  func integers() {
    check(
      .integer(-3...70), [("0", "0"), ("-3", "-3"), ("70", "70"), ("7e1", "70"), ("5.0", "5"), ("+4", "4")],
      ["", "71", "-4", "0.5", "1e9", "1e40", "x", "1px", "99999999999999999999"])
  }

  @Test("a time has its unit")
  func durations() {
    check(
      .duration(1...60_000),
      [
        ("400ms", "400ms"), ("0.4s", "400ms"), ("60s", "60000ms"), ("0.001s", "1ms"), ("1.4ms", "1ms"),
        ("6e4ms", "60000ms"),
      ],
      [
        "", "0", "1", "400", "0ms", "60001ms", "60.001s", "ms", "s", "400 ms", "1m", "1h", "400MS", "-1",
        "0.0004s", "nans",
      ])
  }

  @Test("an angle is that of a turn to the right, up to a whole one")
  func angles() {
    check(
      .angle,
      [
        ("0", "0"), ("360", "0"), ("-360", "0"), ("-90", "270"), ("90", "90"), ("-0.5", "359.5"),
        ("359.75", "359.75"),
      ], ["", "361", "-360.5", "90deg", "pi"])
  }

  @Test("truth is written in three ways")
  func booleans() {
    check(
      .boolean,
      [
        ("true", "true"), ("TRUE", "true"), ("yes", "true"), ("1", "true"), ("false", "false"),
        ("No", "false"),
        ("0", "false"),
      ], ["", "t", "2", "on", "off", " true"])
  }

  @Test("a choice is one of its words")
  func choices() {
    check(
      .choice(["over", "multiply"]), [("over", "over"), ("MULTIPLY", "multiply")],
      ["", "ove", "over ", "add"])
  }

  @Test("text is anything that isn't empty, escaped where the grammar needs it")
  func texts() {
    for type in [ParameterType.text, .source] {
      check(
        type,
        [
          ("a", "a"), (" ", " "), ("a,b:c=d%", "a%2Cb%3Ac%3Dd%25"), ("%2C", "%252C"), ("é日", "é日"),
          ("http://a/b?c=d", "http%3A//a/b?c%3Dd"),
        ], ["", "a\0b"])
    }
  }

  @Test("vectors have as many numbers as they are said to")
  func vectors() {
    check(
      .vector(3), [("1 2 3", "1_2_3"), ("1_2_3", "1_2_3"), ("0.50  -1_ 3e1", "0.5_-1_30")],
      ["", "1 2", "1 2 3 4", "1,2,3", "1 2 x", "1 2 nan"])
  }

  @Test("lengths are pixels, or a part of the shorter side")
  func lengths() {
    check(
      .length, [("0", "0"), ("12.50", "12.5"), ("50%", "50%"), ("0%", "0%"), ("65535", "65535")],
      ["", "%", "-1", "-1%", "65536", "65536%", "10px", "50 %", "50%%"])
    let extent = Size(width: 200, height: 80)
    for (text, pixels) in [("12", 12.0), ("50%", 40), ("0%", 0), ("250%", 200)] {
      #expect(
        Length(text)?.pixels(in: extent) == pixels
          && Length(text)?.pixels(in: Size(width: 80, height: 200)) == pixels)
    }
  }

  @Test("sizes are of two sides, of one, or a part")
  func sizes() {
    check(
      .size,
      [
        ("1x1", "1x1"), ("65535x65535", "65535x65535"), ("10X20", "10x20"), ("10x", "10x"), ("x20", "x20"),
        ("50%", "50%"), ("33.3%", "33.3%"), ("10000%", "10000%"), ("0.5%", "0.5%"), ("007x8", "7x8"),
      ],
      [
        "", "x", "xx", "10", "10x20x30", "0x5", "5x0", "0x", "x0", "65536x1", "1x65536", "-5x5", "5.5x5",
        "5 x5", "5x 5",
        "+5x5", "%", "0%", "-5%", "10001%", "50%x50%", "５x５", "99999999999999999999x1",
      ])
  }

  @Test("areas are a size, and perhaps a place")
  func areas() {
    check(
      .area,
      [
        ("10x20", "10x20"), ("10x20+0+0", "10x20+0+0"), ("10x20-3+4", "10x20-3+4"),
        ("10x20-0-0", "10x20+0+0"),
        ("1x1+10000000-10000000", "1x1+10000000-10000000"), ("10X20+1+2", "10x20+1+2"),
      ],
      [
        "", "10", "10x", "x20", "50%", "10x20+1", "10x20+1+2+3", "10x20++", "10x20+1+", "0x5+1+1",
        "10x20+1.5+0",
        "10x20+10000001+0", "+1+2", "10x20 +1+2", "10x20+a+b",
      ])
  }

  @Test("gravities are places, or a point")
  func gravities() {
    let places = Gravity.Place.allCases.map { ($0.rawValue, $0.rawValue) }
    check(
      .gravity,
      places + [
        ("center", "centre"), ("NorthEast", "northeast"), ("attention", "attention"), ("ENTROPY", "entropy"),
        ("0.3x0.7", "0.3x0.7"), ("0x1", "0x1"), ("1x0", "1x0"), ("0.50x.5", "0.5x0.5"), ("1e-1x0", "0.1x0"),
      ],
      [
        "", "middle", "north east", "north-east", "x", "0.5", "0.5x", "x0.5", "1.1x0", "0x-0.1",
        "0.5x0.5x0.5", "50%x50%",
      ])
    #expect(Gravity.Place.allCases.count == 9)
    for place in Gravity.Place.allCases { #expect(Gravity.names.contains(place.rawValue)) }
  }
}

@Suite("Colors", .timeLimit(.minutes(8)))
struct ColorTextTests {
  @Test("every name of CSS is the color of its number, in either letter case")
  func names() {
    #expect(ColorNames.values.count == 148)
    for (name, value) in ColorNames.values {
      #expect(name == name.lowercased())
      let hex = String(value, radix: 16)
      let digits = "#" + String(repeating: "0", count: 6 - hex.count) + hex
      for text in [name, name.uppercased(), digits, digits.uppercased(), digits + "ff"] {
        #expect(Color(text)?.identifier == digits + "ff", "\(text)")
      }
    }
    // American and British spellings are one color.
    for name in ColorNames.values.keys where name.contains("gray") {
      #expect(Color(name) == Color(name.replacing("gray", with: "grey")), "\(name)")
    }
  }

  @Test("a short form has each digit twice")
  func short() {
    let digits = Array("0123456789abcdef")
    for first in digits {
      for second in digits {
        let long = "#\(first)\(first)\(second)\(second)\(first)\(first)"
        #expect(Color("#\(first)\(second)\(first)") == Color(long))
        #expect(Color("#\(first)\(second)\(first)\(second)") == Color("\(long)\(second)\(second)"))
      }
    }
  }

  @Test("every color reads back from its identifier")
  func identifiers() {
    for red in stride(from: 0, through: 255, by: 15) {
      for alpha in stride(from: 0, through: 255, by: 17) {
        let color = Color(red: UInt8(red), green: UInt8(255 - red), blue: UInt8(alpha), alpha: UInt8(alpha))
        #expect(Color(color.identifier) == color && color.identifier.count == 9)
      }
    }
    #expect(Color("transparent") == .transparent && Color("TransParent")?.identifier == "#00000000")
    #expect(Color("white") == .white && Color("black") == .black)
  }

  @Test(
    "anything else is none",
    arguments: [
      "", "#", "#1", "#12", "#12345", "#1234567", "#123456789", "#ggg", "123456", "blu", " red", "red ",
      "rgb(1,2,3)",
      "#12 45", "#-12", "#１２３", "#+12", "##123",
    ])
  func refused(text: String) { #expect(Color(text) == nil) }

  @Test("gray is what has three equal parts")
  func gray() {
    for text in ["black", "white", "#777", "gray", "transparent", "#12121280"] {
      #expect(Color(text)?.isGray == true)
    }
    for text in ["red", "#777778", "#767777", "slategray"] { #expect(Color(text)?.isGray == false) }
  }
}
