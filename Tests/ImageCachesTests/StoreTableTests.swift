import GRDB
import TestSupport
import Testing

@testable import ImageCaches

/// A row of every type of value.
private struct Anything: StoreRow, Hashable {
  static let table = StoreTable("anything", [.text("a"), .integer("b"), .real("c")])
  var text: String?
  var number: Int?
  var share: Double?
  var values: [StoreValue] { [StoreValue(text), StoreValue(number), share.map { .real($0) } ?? .null] }

  init(text: String? = nil, number: Int? = nil, share: Double? = nil) {
    (self.text, self.number, self.share) = (text, number, share)
  }

  init?(_ values: [StoreValue]) {
    guard values.count == 3 else { return nil }
    self.init(text: values[0].text, number: values[1].integer, share: values[2].real)
  }
}

/// A row of a table whose limit is large enough to be kept with some slack.
private struct Slack: StoreRow, Hashable {
  static let table = StoreTable("slack", [.integer("number")], limit: 48)
  var number: Int
  var values: [StoreValue] { [.integer(number)] }
  init(_ number: Int) { self.number = number }
  init?(_ values: [StoreValue]) {
    guard let number = values.first?.integer else { return nil }
    self.number = number
  }
}

/// A row of a table that keeps the last ten.
private struct Recent: StoreRow, Hashable {
  static let table = StoreTable("recent", [.integer("number")], limit: 10)
  var number: Int
  var values: [StoreValue] { [.integer(number)] }
  init(_ number: Int) { self.number = number }
  init?(_ values: [StoreValue]) {
    guard let number = values.first?.integer else { return nil }
    self.number = number
  }
}

@Suite("Tables of modules", .timeLimit(.minutes(8)))
struct StoreTableTests {
  private let directory: Directory
  private let store: DiskStore

  init() throws {
    directory = try Directory()
    store = try DiskStore(directory: directory.path)
  }

  private func key(_ number: Int) -> ContentDigest { ContentDigest(hashing: Array("\(number)".utf8)) }

  @Test("give values back as they were recorded")
  func values() throws {
    let texts: [String?] = [
      nil, "", "a", "é\u{301}日", "'; DROP TABLE objects; --", "{\"a\":null}", "1", "1.5",
    ]
    let numbers: [Int?] = [nil, 0, -1, .max, .min, 1 << 53 + 1]
    let shares: [Double?] = [nil, 0, 1, -2.5, 0.1, 1e300, .leastNonzeroMagnitude, .infinity, 1 / 3]
    var rows: [ContentDigest: Anything] = [:]
    for text in texts {
      for number in numbers {
        for share in shares { rows[key(rows.count)] = Anything(text: text, number: number, share: share) }
      }
    }
    try store.record(rows)
    let found: [ContentDigest: Anything] = try store.rows(forKeys: Array(rows.keys))
    #expect(found == rows)
    let other: [ContentDigest: Anything] = try DiskStore(directory: directory.path).rows(
      forKeys: Array(rows.keys))
    #expect(other == rows)
  }

  @Test("know nothing of other keys, nor of no keys, nor before anything was recorded")
  func unknown() throws {
    #expect(try store.rows(of: Anything.self, forKeys: [key(1)]).isEmpty)
    try store.record([ContentDigest: Anything]())
    #expect(try store.rows(of: Anything.self, forKeys: [key(1)]).isEmpty)
    try store.record([key(1): Anything(text: "a")])
    #expect(try store.rows(of: Anything.self, forKeys: [key(2), key(3)]).isEmpty)
    #expect(try store.rows(of: Anything.self, forKeys: []).isEmpty)
    #expect(try store.rows(of: Anything.self, forKeys: [key(1), key(2), key(1)]).count == 1)
  }

  @Test(
    "don't know a row of which anything was changed",
    arguments: [
      "a = 'b'", "a = NULL", "a = x'61'", "b = 8", "b = NULL", "b = 7.5", "b = '7x'", "c = 0.5", "c = NULL",
      "checksum = ''", "checksum = 'x'", "key = '\(String(repeating: "0", count: 64))'",
    ])
  func changed(assignment: String) throws {
    let row = Anything(text: "a", number: 7, share: 0.25)
    try store.record([key(1): row, key(2): row])
    let hex = key(1).hex
    try store.index.write {
      try $0.execute(sql: "UPDATE anything SET \(assignment) WHERE key = ?", arguments: [hex])
    }
    let zero = try #require(ContentDigest(hex: String(repeating: "0", count: 64)))
    #expect(try store.rows(of: Anything.self, forKeys: [key(1), key(2), zero]) == [key(2): row])
    // It can be recorded again.
    try store.record([key(1): row])
    #expect(try store.rows(of: Anything.self, forKeys: [key(1)]) == [key(1): row])
  }

  @Test("don't take a row for that of another key")
  func swapped() throws {
    try store.record([key(1): Anything(text: "a"), key(2): Anything(text: "b")])
    try store.index.write { database in
      try database.execute(
        sql:
          "UPDATE anything SET (a, checksum) = (SELECT a, checksum FROM anything WHERE key = ?) WHERE key = ?",
        arguments: [key(1).hex, key(2).hex])
    }
    #expect(try store.rows(of: Anything.self, forKeys: [key(1), key(2)]).keys.map { $0 } == [key(1)])
  }

  @Test("with a limit keep the rows that were recorded last, however often one of them was")
  func limit() throws {
    let seed = SeededRandom.seed
    var random = SeededRandom(seed: seed)
    // From the first recorded to the last.
    var order: [Int] = []
    for step in 0..<200 {
      let number = Int.random(in: 0..<14, using: &random)
      try store.record([key(number): Recent(number)])
      order.removeAll { $0 == number }
      order.append(number)
      order = order.suffix(10)
      let found: [ContentDigest: Recent] = try store.rows(forKeys: (0..<14).map(key))
      #expect(found.values.map(\.number).sorted() == order.sorted(), "seed \(seed), step \(step)")
    }
  }

  @Test("with a large limit keep no more rows than that, of which those recorded last, and few less")
  func largeLimit() throws {
    let seed = SeededRandom.seed
    var random = SeededRandom(seed: seed)
    var order: [Int] = []
    var wasFull = false
    for step in 0..<400 {
      // A batch of rows, some of which were recorded before.
      let numbers = (0..<Int.random(in: 1...4, using: &random)).map { _ in
        Int.random(in: 0..<90, using: &random)
      }
      for number in numbers {
        try store.record([key(number): Slack(number)])
        order.removeAll { $0 == number }
        order.append(number)
      }
      let found: [ContentDigest: Slack] = try store.rows(forKeys: (0..<90).map(key))
      let kept = Set(found.values.map(\.number))
      let comment: Comment = "seed \(seed), step \(step)"
      #expect(kept.count <= 48 && kept == Set(order.suffix(kept.count)), comment)
      wasFull = wasFull || kept.count == 48
      if wasFull { #expect(kept.count >= 45, comment) }
    }
    #expect(wasFull)
  }

  @Test("that another process makes are counted", arguments: ["outputs", "renditions"])
  func madeElsewhere(name: String) throws {
    _ = try store.inventory()
    let digest = try store.insert(bytes(1)).digest
    let other = try DiskStore(directory: directory.path)
    try other.index.write { database in
      try database.execute(sql: "CREATE TABLE \(name) (key TEXT, digest TEXT)")
      try database.execute(sql: "INSERT INTO \(name) VALUES ('a', ?)", arguments: [digest.hex])
    }
    let inventory = try store.inventory()
    #expect((name == "outputs" ? inventory.outputs : inventory.renditions) == 1)
    #expect(try store.list().map(\.outputs) == [name == "outputs" ? 1 : 0])
  }

  @Test("go with the objects that their rows need, and with nothing else")
  func objects() throws {
    let digests = try (0..<5).map { try store.insert(bytes($0)).digest }
    for (number, digest) in digests.enumerated() {
      try store.record([key(number): NumberRow(digest: digest, number: number)])
      try store.record([key(number): Anything(number: number)])
    }
    let held = try #require(try store.object(digests[2]))
    try store.purge(to: 0)
    let keys = (0..<5).map(key)
    #expect(try store.rows(of: NumberRow.self, forKeys: keys).keys.map { $0 } == [key(2)])
    #expect(try store.rows(of: Anything.self, forKeys: keys).count == 5)
    try store.clear()
    #expect(try store.rows(of: Anything.self, forKeys: keys).isEmpty)
    withExtendedLifetime(held) {}
  }

  @Test("values are of one kind each")
  func kinds() {
    let all: [StoreValue] = [.text("a"), .integer(1), .real(1), .null]
    #expect(all.map { $0.text != nil } == [true, false, false, false])
    #expect(all.map { $0.integer != nil } == [false, true, false, false])
    #expect(all.map { $0.real != nil } == [false, false, true, false])
    #expect(all.allSatisfy { $0.digest == nil })
    #expect(StoreValue.text(key(1).hex).digest == key(1))
    #expect(StoreValue(Int?.none) == .null && StoreValue(String?.none) == .null)
    #expect(StoreValue(3) == .integer(3) && StoreValue("3") == .text("3"))
  }
}
