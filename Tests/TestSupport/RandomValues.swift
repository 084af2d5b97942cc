package import ImageCaches

package import ImageRendering

/// Random values of the types that cross a process's or a file's border.
package struct RandomValues {
  package var random: SeededRandom

  package init(seed: UInt64) { random = SeededRandom(seed: seed) }

  package mutating func int(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &random) }

  package mutating func chance(_ of: Int) -> Bool { int(1...of) == 1 }

  /// Small, large and extreme ones.
  package mutating func number() -> Int {
    switch int(0...3) {
    case 0: int(0...9)
    case 1: int(0...100_000)
    case 2: [0, 1, -1, .max, .min, 1 << 53 + 1].randomElement(using: &random) ?? 0
    default: int(.min ... .max)
    }
  }

  package mutating func real() -> Double {
    switch int(0...2) {
    case 0: Double(int(0...100))
    case 1:
      [0, 0.1, 1e-300, 1e300, .leastNonzeroMagnitude, -0.5, .greatestFiniteMagnitude]
        .randomElement(using: &random) ?? 0
    default: Double.random(in: 0...1, using: &random)
    }
  }

  /// Text with everything in it that may be mistaken for something else.
  package mutating func text() -> String {
    let hostile = [
      "", " ", "a", "\"", "\\", "\n", "\r\n", "\0", "\u{1}", "\u{7f}", "'", "é", "e\u{301}", "日本", "👩‍👩‍👧",
      "\u{2028}",
      "\u{feff}", "null", "</", "%00", "{", "}", "/", "../", "\u{fffd}", "\t", "x;--",
    ]
    return (0..<int(0...6)).map { _ in hostile.randomElement(using: &random) ?? "" }.joined()
  }

  package mutating func optional<Value>(_ make: (inout RandomValues) -> Value) -> Value? {
    chance(3) ? nil : make(&self)
  }

  package mutating func digest() -> ContentDigest { ContentDigest(of: "\(number())") }

  package mutating func element<Value>(_ values: [Value]) -> Value { values[int(0...(values.count - 1))] }

  package mutating func placeholders() -> Placeholders {
    Placeholders(dominantColor: text(), blurHash: text(), thumbHash: text(), dataURI: text())
  }

  package mutating func file() -> RenderedFile {
    RenderedFile(
      format: element(OutputFormat.allCases), width: number(), height: number(), frames: number(),
      bytes: number(),
      digest: digest(), quality: optional { $0.int(1...100) }, placeholders: optional { $0.placeholders() })
  }

  package mutating func facts() -> SourceFacts {
    SourceFacts(
      format: text(), width: number(), height: number(), frames: number(), orientation: number(),
      hasAlpha: chance(2), bands: optional { $0.number() }, bitsPerSample: optional { $0.number() },
      isProgressive: optional { $0.chance(2) })
  }
}
