/// Splits a row of CSV (RFC 4180) or TSV into cells.
struct DelimitedRow {
  struct Cell: Equatable {
    var text: String
    /// The column of its first character, from 1.
    var column: Int
  }

  /// The message for a CR without LF.
  static let carriageReturn = "a carriage return within a line: end the lines with LF or CR LF"

  /// The other separator that a header with a single name seems to have; nil for none.
  static func otherSeparator(in names: [String], than separator: UInt8) -> String? {
    guard names.count == 1, let name = names.first else { return nil }
    return [";", ",", "\t", "|"].first { name.contains($0) && Array($0.utf8) != [separator] }
  }

  struct Failure: Error {
    var message: String
    var column: Int
  }

  /// The cells of `bytes`, which are UTF-8.
  static func cells(of bytes: [UInt8], separator: UInt8) throws(Failure) -> [Cell] {
    var cells: [Cell] = []
    var text: [UInt8] = []
    var column = 1
    var cellColumn = 1
    var position = 0
    func isQuote(_ index: Int) -> Bool { index < bytes.count && bytes[index] == UInt8(ascii: "\"") }
    func step() {
      if bytes[position] & 0xC0 != 0x80 { column += 1 }
      position += 1
    }
    while true {
      text.removeAll(keepingCapacity: true)
      cellColumn = column
      if isQuote(position) {
        step()
        while true {
          guard position < bytes.count else {
            throw Failure(message: "a quoted cell has no closing quote", column: cellColumn)
          }
          if isQuote(position) {
            step()
            guard isQuote(position) else { break }
          }
          text.append(bytes[position])
          step()
        }
        guard position == bytes.count || bytes[position] == separator else {
          throw Failure(
            message: "text after a cell's closing quote; write a quote inside a cell twice", column: column)
        }
      } else {
        while position < bytes.count, bytes[position] != separator {
          if bytes[position] == UInt8(ascii: "\r") {
            throw Failure(message: carriageReturn, column: column)
          }
          text.append(bytes[position])
          step()
        }
      }
      cells.append(Cell(text: String(decoding: text, as: UTF8.self), column: cellColumn))
      guard position < bytes.count else { return cells }
      step()
    }
  }
}
