/// Makes URLs readable.
enum PercentText {
  /// Decodes each run of `%XX` that is valid UTF-8 and leaves other runs unchanged.
  static func decoded(_ text: String) -> String {
    guard text.utf8.contains(UInt8(ascii: "%")) else { return text }
    var result = ""
    var rest = Substring(text)
    while let start = rest.firstIndex(of: "%") {
      result += rest[..<start]
      rest = rest[start...]
      var bytes: [UInt8] = []
      var end = rest
      while end.first == "%", let byte = UInt8(end.dropFirst().prefix(2), radix: 16), end.count > 2 {
        bytes.append(byte)
        end = end.dropFirst(3)
      }
      guard !bytes.isEmpty, let said = String(validating: bytes, as: UTF8.self) else {
        let length = max(1, bytes.count * 3)
        result += rest.prefix(length)
        rest = rest.dropFirst(length)
        continue
      }
      result += said
      rest = end
    }
    return result + rest
  }
}
