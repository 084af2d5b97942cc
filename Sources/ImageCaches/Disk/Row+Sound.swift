package import GRDB

extension Row {
  /// The column's value; nil where it is of another type than is ever written, which takes damage. (A subscript of
  /// GRDB's would end the process.)
  package func sound<Value: DatabaseValueConvertible>(_ column: String) -> Value? {
    Value.fromDatabaseValue(self[column] as DatabaseValue)
  }

  /// The digest in a column, in hexadecimal; nil where there is no such thing.
  func soundDigest(_ column: String) -> ContentDigest? {
    let hex: String? = sound(column)
    return hex.flatMap { ContentDigest(hex: $0) }
  }
}
