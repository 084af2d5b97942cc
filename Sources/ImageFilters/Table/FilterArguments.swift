/// A filter's arguments, complete: every parameter that isn't absent by choice has a value of its type.
struct FilterArguments: Hashable, Sendable {
  /// The filter's name, for messages.
  let filter: String
  /// By key, in the order of the table.
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

  func colour(_ key: String) throws(FilterError) -> Colour {
    guard case .colour(let colour) = value(key) else { throw missing(key) }
    return colour
  }

  func size(_ key: String) throws(FilterError) -> PixelSize {
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

  func vector(_ key: String) throws(FilterError) -> [Double] {
    guard case .vector(let numbers) = value(key) else { throw missing(key) }
    return numbers
  }

  private func value(_ key: String) -> ParameterValue? { values.first { $0.key == key }?.value }

  /// A filter asked for what its table entry doesn't declare: every example is run by a test that would see it.
  private func missing(_ key: String) -> FilterError {
    FilterError(.failed, "\(filter) needs its parameter '\(key)', which its definition doesn't promise")
  }
}
