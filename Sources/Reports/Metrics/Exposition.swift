/// Writes Prometheus' text format (version 0.0.4): the help, type and samples of each metric. Every name starts with
/// `imagemill_`.
struct Exposition {
  private(set) var text = ""

  var bytes: [UInt8] { Array(text.utf8) }

  typealias Labels = [String: String]

  /// Writes a gauge: a number that can go up and down.
  mutating func gauge(_ name: String, _ help: String, _ value: Double) {
    gauge(name, help, [([:], value)])
  }

  /// Writes an integer gauge.
  mutating func gauge(_ name: String, _ help: String, _ value: Int) { gauge(name, help, Double(value)) }

  /// Writes a gauge with labels.
  mutating func gauge(_ name: String, _ help: String, _ samples: [(Labels, Double)]) {
    head(name, help, "gauge")
    for (labels, value) in samples { sample(name, labels, Self.number(value)) }
  }

  /// Writes a counter: a number that only grows during a run.
  mutating func counter(_ name: String, _ help: String, _ value: Int) { counter(name, help, [([:], value)]) }

  /// Writes a counter with labels.
  mutating func counter(_ name: String, _ help: String, _ samples: [(Labels, Int)]) {
    head(name, help, "counter")
    for (labels, value) in samples { sample(name, labels, String(value)) }
  }

  /// Writes a histogram.
  mutating func histogram(_ name: String, _ help: String, _ histogram: Histogram) {
    head(name, help, "histogram")
    for (bound, count) in histogram.cumulative {
      sample(name + "_bucket", ["le": bound.map(Self.number) ?? "+Inf"], String(count))
    }
    sample(name + "_sum", [:], Self.number(histogram.sum))
    sample(name + "_count", [:], String(histogram.count))
  }

  private mutating func head(_ name: String, _ help: String, _ type: String) {
    let help = help.escaping(["\\": "\\\\", "\n": "\\n"])
    text += "# HELP imagemill_\(name) \(help)\n# TYPE imagemill_\(name) \(type)\n"
  }

  private mutating func sample(_ name: String, _ labels: Labels, _ value: String) {
    text += "imagemill_\(name)"
    if !labels.isEmpty {
      text +=
        "{\(labels.sorted { $0.key < $1.key }.map { "\($0.key)=\"\(Self.escaped($0.value))\"" }.joined(separator: ","))}"
    }
    text += " \(value)\n"
  }

  private static func escaped(_ value: String) -> String {
    value.escaping(["\\": "\\\\", "\"": "\\\"", "\n": "\\n"])
  }

  private static func number(_ value: Double) -> String {
    if let whole = Int(exactly: value) { return String(whole) }
    return value.isFinite ? value.description : "NaN"
  }
}

/// Counts durations by upper bounds.
struct Histogram {
  /// The buckets' upper bounds in seconds.
  static let bounds: [Double] = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60]

  private var counts = [Int](repeating: 0, count: bounds.count + 1)
  private(set) var sum = 0.0
  private(set) var count = 0

  /// Adds a duration in seconds.
  mutating func add(_ seconds: Double) {
    let seconds = max(0, seconds)
    counts[Self.bounds.firstIndex { seconds <= $0 } ?? Self.bounds.count] += 1
    sum += seconds
    count += 1
  }

  /// The number of durations up to each bound, and without a bound (nil).
  var cumulative: [(bound: Double?, count: Int)] {
    var total = 0
    return counts.enumerated().map { index, count in
      total += count
      return (index < Self.bounds.count ? Self.bounds[index] : nil, total)
    }
  }
}
