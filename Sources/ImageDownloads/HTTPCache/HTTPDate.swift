/// A strict parser of the three date forms of RFC 9110 §5.6.7: a response with an invalid date counts as stale.
/// (`curl_getdate` and Foundation's formatters accept far more.)
package enum HTTPDate {
  /// Parses a date into seconds since 1970; nil if it is invalid.
  ///
  /// - `Sun, 06 Nov 1994 08:49:37 GMT` (IMF-fixdate)
  /// - `Sunday, 06-Nov-94 08:49:37 GMT` (RFC 850; a year that seems more than 50 years ahead of `now` is in the past)
  /// - `Sun Nov  6 08:49:37 1994` (asctime)
  package static func parse(_ text: String, now: Int) -> Int? {
    let text = Array(text.lowercased().utf8)
    return fixdate(text) ?? rfc850(text, now: now) ?? asctime(text)
  }

  /// Formats seconds since 1970 as IMF-fixdate. The year must have at most four digits, and not be negative.
  static func format(_ seconds: Int) -> String {
    let (days, rest) = seconds.quotientAndRemainder(floorDividingBy: 86400)
    let (year, month, day) = civil(days: days)
    func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
    let weekday = Self.days[(days % 7 + 11) % 7].prefix(3).capitalizedFirst
    return
      "\(weekday), \(two(day)) \(months[month - 1].capitalizedFirst) \(two(year / 100))\(two(year % 100)) "
      + "\(two(rest / 3600)):\(two(rest / 60 % 60)):\(two(rest % 60)) GMT"
  }

  private static let months = [
    "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
  ]
  private static let days = [
    "sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday",
  ]

  private static func fixdate(_ text: [UInt8]) -> Int? {
    var reader = Reader(text)
    guard reader.weekday(short: true), reader.skip(", "), let day = reader.number(2), reader.skip(" "),
      let month = reader.month(), reader.skip(" "), let year = reader.number(4), reader.skip(" "),
      let time = reader.time(), reader.skip(" gmt"), reader.isAtEnd
    else { return nil }
    return seconds(year, month, day, time)
  }

  private static func rfc850(_ text: [UInt8], now: Int) -> Int? {
    var reader = Reader(text)
    guard reader.weekday(short: false), reader.skip(", "), let day = reader.number(2), reader.skip("-"),
      let month = reader.month(), reader.skip("-"), let short = reader.number(2), reader.skip(" "),
      let time = reader.time(), reader.skip(" gmt"), reader.isAtEnd
    else { return nil }
    let thisYear = civil(days: now.quotientAndRemainder(floorDividingBy: 86400).quotient).year
    var year = thisYear / 100 * 100 + short
    if year > thisYear + 50 { year -= 100 }
    return seconds(year, month, day, time)
  }

  private static func asctime(_ text: [UInt8]) -> Int? {
    var reader = Reader(text)
    guard reader.weekday(short: true), reader.skip(" "), let month = reader.month(), reader.skip(" ") else {
      return nil
    }
    let padded = reader.skip(" ")
    guard let day = reader.number(padded ? 1 : 2), reader.skip(" "), let time = reader.time(),
      reader.skip(" "),
      let year = reader.number(4), reader.isAtEnd
    else { return nil }
    return seconds(year, month, day, time)
  }

  private static func seconds(_ year: Int, _ month: Int, _ day: Int, _ time: Int) -> Int? {
    let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
    let length = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month - 1]
    guard (1...length).contains(day) else { return nil }
    return days(year, month, day) * 86400 + time
  }

  // Howard Hinnant's algorithms for the proleptic Gregorian calendar.
  private static func days(_ year: Int, _ month: Int, _ day: Int) -> Int {
    let y = month <= 2 ? year - 1 : year
    let era = y.quotientAndRemainder(floorDividingBy: 400).quotient
    let yearOfEra = y - era * 400
    let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
    return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
  }

  private static func civil(days: Int) -> (year: Int, month: Int, day: Int) {
    let (era, dayOfEra) = (days + 719_468).quotientAndRemainder(floorDividingBy: 146_097)
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shifted = (5 * dayOfYear + 2) / 153
    let month = shifted < 10 ? shifted + 3 : shifted - 9
    return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * shifted + 2) / 5 + 1)
  }

  /// Reads lower-cased text from its start.
  private struct Reader {
    private var rest: ArraySlice<UInt8>
    var isAtEnd: Bool { rest.isEmpty }

    init(_ text: [UInt8]) { rest = text[...] }

    mutating func skip(_ literal: String) -> Bool {
      guard rest.starts(with: literal.utf8) else { return false }
      rest = rest.dropFirst(literal.utf8.count)
      return true
    }

    mutating func number(_ digits: Int) -> Int? {
      let text = rest.prefix(digits)
      guard text.count == digits, text.allSatisfy({ (48...57).contains($0) }) else { return nil }
      rest = rest.dropFirst(digits)
      return text.reduce(0) { $0 * 10 + Int($1) - 48 }
    }

    mutating func weekday(short: Bool) -> Bool {
      HTTPDate.days.contains { day in skip(short ? String(day.prefix(3)) : day) }
    }

    mutating func month() -> Int? {
      HTTPDate.months.firstIndex { name in skip(name) }.map { $0 + 1 }
    }

    /// Parses `08:49:37` into seconds; a leap second counts as the second before it.
    mutating func time() -> Int? {
      guard let hour = number(2), hour < 24, skip(":"), let minute = number(2), minute < 60, skip(":"),
        let second = number(2), second <= 60
      else { return nil }
      return hour * 3600 + minute * 60 + min(second, 59)
    }
  }
}

extension Int {
  fileprivate func quotientAndRemainder(floorDividingBy divisor: Int) -> (quotient: Int, remainder: Int) {
    let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
    return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
  }
}

extension StringProtocol {
  fileprivate var capitalizedFirst: String { prefix(1).uppercased() + dropFirst() }
}
