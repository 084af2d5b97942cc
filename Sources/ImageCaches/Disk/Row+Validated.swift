package import GRDB

extension Row {
  /// The column's value; nil if a damaged index has a value of another type, with which GRDB's subscript traps.
  package func validated<Value: DatabaseValueConvertible>(_ column: String) -> Value? {
    Value.fromDatabaseValue(self[column] as DatabaseValue)
  }

  /// The digest in a column of hexadecimal text; nil if the value is invalid.
  func validatedDigest(_ column: String) -> ContentDigest? {
    let hex: String? = validated(column)
    return hex.flatMap { ContentDigest(hex: $0) }
  }
}
