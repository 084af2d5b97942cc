import ArgumentParser
import Manifests

/// A time: a number of seconds, or a number with `ms`, `s`, `m` or `h`.
struct DurationArgument: ExpressibleByArgument {
  let duration: Duration

  init(_ duration: Duration) { self.duration = duration }

  init?(argument: String) {
    let units: [(String, Double)] = [("ms", 0.001), ("s", 1), ("m", 60), ("h", 3600)]
    let (unit, seconds) = units.first { argument.hasSuffix($0.0) } ?? ("", 1)
    guard let number = Double(argument.dropLast(unit.count)), number.isFinite, number >= 0,
      number * seconds < 1e9
    else { return nil }
    duration = .seconds(number * seconds)
  }

  var defaultValueDescription: String {
    let milliseconds = Int((duration / .milliseconds(1)).rounded())
    return milliseconds % 1000 == 0 ? "\(milliseconds / 1000)s" : "\(milliseconds)ms"
  }
}

/// A size: a number of bytes, or a number with `k`, `M`, `G`, `kB`, `MB`, `GB`, `KiB`, `MiB` or `GiB`.
struct SizeArgument: ExpressibleByArgument {
  let bytes: Int

  init(_ bytes: Int) { self.bytes = bytes }

  init?(argument: String) {
    // 0 is a limit too, which nothing passes.
    guard let bytes = ByteSize.bytes(argument, least: 0) else { return nil }
    self.bytes = bytes
  }

  var defaultValueDescription: String {
    for (unit, factor) in [("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10)] where bytes >= factor {
      if bytes % factor == 0 { return "\(bytes / factor)\(unit)" }
    }
    return "\(bytes)"
  }
}

extension SizeArgument {
  /// Refuses a size that no cache can have, which is a number whose unit was forgotten.
  /// - Throws: `ValidationError` for less than 1 kB.
  func checkCacheSize(_ name: String) throws {
    guard bytes < 1000 else { return }
    throw ValidationError(
      "\(name) must be 1kB or more, not \(bytes); is a unit missing, as in \(max(bytes, 1))GiB?")
  }
}

/// `NAME=VALUE` or `KEY=VALUE`.
struct PairArgument: ExpressibleByArgument {
  let name: String
  let value: String

  init?(argument: String) {
    guard let equals = argument.firstIndex(of: "="), equals != argument.startIndex else { return nil }
    name = String(argument[..<equals])
    value = String(argument[argument.index(after: equals)...])
  }
}
