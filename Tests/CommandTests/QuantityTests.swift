import Manifests
import TestSupport
import Testing

@testable import imagemill

/// Durations and sizes of the command line.
@Suite("Quantities", .timeLimit(.minutes(8)))
struct QuantityTests {
  @Test(
    "durations",
    arguments: [
      ("500ms", .milliseconds(500)), ("1.5h", .seconds(5400)), ("10", .seconds(10)), ("2m", .seconds(120)),
      ("0", .zero), ("0.25s", .milliseconds(250)), ("-1", nil), ("nan", nil), ("inf", nil), ("1e10", nil),
      ("5 s", nil),
      ("", nil), ("s", nil), ("5x", nil), ("1,5s", nil),
    ] as [(String, Duration?)])
  func durations(text: String, duration: Duration?) {
    #expect(DurationArgument(argument: text)?.duration == duration)
  }

  @Test("a duration's text reads back as it")
  func durationText() {
    for milliseconds in [0, 1, 500, 999, 1000, 1500, 60_000, 90_001, 3_600_000] {
      let text = DurationArgument(.milliseconds(milliseconds)).defaultValueDescription
      let found = DurationArgument(argument: text)?.duration ?? .seconds(-1)
      // The seconds of a text are a Double.
      #expect(abs((found - .milliseconds(milliseconds)) / .milliseconds(1)) < 1e-6, "\(text)")
    }
    #expect(DurationArgument(.milliseconds(1500)).defaultValueDescription == "1500ms")
  }

  @Test("a size is the same on the command line and in a manifest, but for 0")
  func sizes() {
    var random = SeededRandom(seed: SeededRandom.seed)
    let numbers = [
      "0", "1", "1.5", "0.4", "200", "nan", "inf", "-1", "1e3", "1e30", "", " 1", "1,5", "999999999999999999",
    ]
    let units = ["", "B", "k", "M", "G", "kB", "MB", "GB", "KiB", "MiB", "GiB", "kb", " kB", "X"]
    for number in numbers + (0..<50).map({ _ in "\(Double.random(in: 0...2000, using: &random))" }) {
      for unit in units {
        let text = number + unit
        let (typed, written) = (SizeArgument(argument: text)?.bytes, ByteSize.bytes(text))
        #expect(typed == written || typed == 0 && written == nil, "\(text)")
      }
    }
    #expect(SizeArgument(argument: "0")?.bytes == 0 && SizeArgument(argument: "1.5") == nil)
    #expect(SizeArgument(argument: "1.5kB")?.bytes == 1500)
  }

  @Test("a size's text reads back as it")
  func sizeText() {
    for bytes in [0, 1, 1023, 1024, 1500, 1 << 20, 2 << 30, (1 << 30) + 1] {
      #expect(SizeArgument(argument: SizeArgument(bytes).defaultValueDescription)?.bytes == bytes)
    }
  }
}
