/// Formats quantities for people. The format doesn't depend on the locale, because scripts read it too.
package enum QuantityText {
  /// A size in decimal units: `512 B`, `41.2 MB`.
  package static func bytes(_ count: Int) -> String {
    guard count >= 1000 else { return "\(count) B" }
    var value = Double(count)
    for unit in ["kB", "MB", "GB", "TB"] {
      value /= 1000
      // From 999.95 on, one decimal would round to 1000.0; use the next unit.
      if value < 999.95 || unit == "TB" { return "\(tenths(value)) \(unit)" }
    }
    return "\(count) B"
  }

  /// The change of a size in percent: `−12 %`, `0 %`, `+5 %`; nil if there was nothing before.
  static func change(from before: Int, to after: Int) -> String? {
    guard before > 0 else { return nil }
    let percent = Int((Double(after - before) / Double(before) * 100).rounded())
    return percent == 0 ? "0 %" : percent < 0 ? "−\(-percent) %" : "+\(percent) %"
  }

  /// `1 output`, `2 outputs`.
  static func count(_ number: Int, _ noun: String) -> String { "\(number) \(noun)\(number == 1 ? "" : "s")" }

  /// The number with one decimal.
  static func tenths(_ value: Double) -> String {
    guard value.isFinite, value.magnitude < 1e15 else { return "\(value)" }
    let scaled = Int((value.magnitude * 10).rounded())
    return "\(value < 0 && scaled > 0 ? "-" : "")\(scaled / 10).\(scaled % 10)"
  }

  /// A duration: `8 s`, `2 min 05 s`, `1 h 10 min`.
  static func duration(seconds: Double) -> String {
    let total = Int(min(max(seconds, 0), 1e9).rounded())
    if total < 60 { return "\(total) s" }
    if total < 3600 { return "\(total / 60) min \(padded(total % 60)) s" }
    return "\(total / 3600) h \(padded(total % 3600 / 60)) min"
  }

  private static func padded(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
}
