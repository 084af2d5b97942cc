import ImageCaches

/// A row as a module would declare one.
struct NumberRow: StoreRow, Hashable {
  static let table = StoreTable(
    "numbers", [.object, .integer("number"), .real("share"), .text("name")])

  var digest: ContentDigest
  var number: Int
  var share = 0.25
  var name: String? = #"{"a":"b"}"#

  var values: [StoreValue] { [.text(digest.hex), .integer(number), .real(share), StoreValue(name)] }

  init(digest: ContentDigest, number: Int) {
    self.digest = digest
    self.number = number
  }

  init?(_ values: [StoreValue]) {
    guard values.count == 4, let digest = values[0].digest, let number = values[1].integer,
      let share = values[2].real
    else { return nil }
    self.init(digest: digest, number: number)
    self.share = share
    name = values[3].text
  }
}
