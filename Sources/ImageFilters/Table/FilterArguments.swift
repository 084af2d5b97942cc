/// A filter's complete arguments: every parameter has a value, except optional ones without a default.
struct FilterArguments: Hashable, Sendable {
  /// The filter's name, for error messages.
  let filter: String
  /// The values with their keys, in the filter table's order.
  private(set) var values: [Entry]

  struct Entry: Hashable, Sendable {
    let key: String
    let value: ParameterValue
  }

  init(filter: String, values: [Entry]) {
    self.filter = filter
    self.values = values
  }

  /// Whether the parameter has a value.
  func has(_ key: String) -> Bool { values.contains { $0.key == key } }

  func number(_ key: String) throws(FilterError) -> Double {
    switch value(key) {
    case .number(let number): return number
    case .integer(let number): return Double(number)
    default: throw missing(key)
    }
  }

  func integer(_ key: String) throws(FilterError) -> Int {
    guard case .integer(let number) = value(key) else { throw missing(key) }
    return number
  }

  func milliseconds(_ key: String) throws(FilterError) -> Int {
    guard case .milliseconds(let time) = value(key) else { throw missing(key) }
    return time
  }

  func boolean(_ key: String) throws(FilterError) -> Bool {
    guard case .boolean(let flag) = value(key) else { throw missing(key) }
    return flag
  }

  func word(_ key: String) throws(FilterError) -> String {
    guard case .word(let word) = value(key) else { throw missing(key) }
    return word
  }

  func text(_ key: String) throws(FilterError) -> String {
    guard case .text(let text) = value(key) else { throw missing(key) }
    return text
  }

  func color(_ key: String) throws(FilterError) -> Color {
    guard case .color(let color) = value(key) else { throw missing(key) }
    return color
  }

  func size(_ key: String) throws(FilterError) -> SizeSpecification {
    guard case .size(let size) = value(key) else { throw missing(key) }
    return size
  }

  func area(_ key: String) throws(FilterError) -> CropArea {
    guard case .area(let area) = value(key) else { throw missing(key) }
    return area
  }

  func gravity(_ key: String) throws(FilterError) -> Gravity {
    guard case .gravity(let gravity) = value(key) else { throw missing(key) }
    return gravity
  }

  func length(_ key: String) throws(FilterError) -> Length {
    guard case .length(let length) = value(key) else { throw missing(key) }
    return length
  }

  func percentage(_ key: String) throws(FilterError) -> Double {
    guard case .percentage(let share) = value(key) else { throw missing(key) }
    return share
  }

  func vector(_ key: String) throws(FilterError) -> [Double] {
    guard case .vector(let numbers) = value(key) else { throw missing(key) }
    return numbers
  }

  private func value(_ key: String) -> ParameterValue? { values.first { $0.key == key }?.value }

  /// The error for a parameter that the filter's table entry doesn't declare. A test that runs every filter's
  /// example catches this mistake.
  private func missing(_ key: String) -> FilterError {
    FilterError(.failed, "\(filter) reads the parameter '\(key)', which its definition doesn't declare")
  }
}
