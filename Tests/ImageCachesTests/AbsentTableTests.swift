import TestSupport
import Testing

@testable import ImageCaches

@Suite("Tables that an index doesn't have", .timeLimit(.minutes(8)))
struct AbsentTableTests {
  private struct Note: StoreRow, Equatable {
    static let table = StoreTable("notes", [.text("text")])

    var text: String
    var values: [StoreValue] { [.text(text)] }

    init(_ text: String) { self.text = text }

    init?(_ values: [StoreValue]) {
      guard values.count == 1, let text = values[0].text else { return nil }
      self.text = text
    }
  }

  private static let key = ContentDigest(of: "a")

  @Test("are absent for a second after they were missed")
  func validity() {
    var tables = AbsentTables()
    let now = ContinuousClock.now
    #expect(!tables.contains(Note.table, at: now))
    tables.note(Note.table, at: now)
    #expect(tables.contains(Note.table, at: now + .milliseconds(999)))
    #expect(!tables.contains(Note.table, at: now + .seconds(1)))
    tables.note(Note.table, at: now + .seconds(1))
    #expect(tables.contains(Note.table, at: now + .seconds(1)))
  }

  @Test("are never absent again for the store that creates them")
  func creation() throws {
    let directory = try TestDirectory("absent")
    let store = try DiskStore(directory: directory["cache"])
    #expect(store.mayHaveRows(of: Note.self))
    #expect(try store.rows(of: Note.self, forKeys: [Self.key]).isEmpty)
    try store.record([Self.key: Note("x")])
    #expect(store.mayHaveRows(of: Note.self))
    #expect(try store.rows(of: Note.self, forKeys: [Self.key]) == [Self.key: Note("x")])
    // A reader that missed the table before it was created, and says so afterwards.
    store.absentTables.withLock { $0.note(Note.table, at: .now) }
    #expect(store.mayHaveRows(of: Note.self))
  }

  @Test("are found again when another process has created them")
  func otherProcess() async throws {
    let directory = try TestDirectory("absent")
    let store = try DiskStore(directory: directory["cache"])
    #expect(try store.rows(of: Note.self, forKeys: [Self.key]).isEmpty)
    try DiskStore(directory: directory["cache"]).record([Self.key: Note("x")])
    while !store.mayHaveRows(of: Note.self) { try await Task.sleep(for: .milliseconds(20)) }
    #expect(try store.rows(of: Note.self, forKeys: [Self.key]) == [Self.key: Note("x")])
  }
}
