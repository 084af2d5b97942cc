import ArgumentParser

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
    let milliseconds = duration / .milliseconds(1)
    if milliseconds < 1000 { return "\(Int(milliseconds))ms" }
    return "\(Int(milliseconds / 1000))s"
  }
}

/// A size: a number of bytes, or a number with `k`, `M`, `G`, `kB`, `MB`, `GB`, `KiB`, `MiB` or `GiB`.
struct SizeArgument: ExpressibleByArgument {
  let bytes: Int

  init(_ bytes: Int) { self.bytes = bytes }

  init?(argument: String) {
    let units: [(String, Double)] = [
      ("kB", 1e3), ("MB", 1e6), ("GB", 1e9), ("KiB", 1024), ("MiB", 1_048_576), ("GiB", 1_073_741_824),
      ("B", 1), ("k", 1e3), ("M", 1e6), ("G", 1e9),
    ]
    let unit = units.first { argument.hasSuffix($0.0) }
    guard let number = Double(argument.dropLast(unit?.0.count ?? 0)), number >= 0,
      number * (unit?.1 ?? 1) < 1e18
    else { return nil }
    bytes = Int(number * (unit?.1 ?? 1))
  }

  var defaultValueDescription: String {
    for (unit, factor) in [("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10)] where bytes >= factor {
      if bytes % factor == 0 { return "\(bytes / factor)\(unit)" }
    }
    return "\(bytes)"
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
