import GRDB
import TestSupport
import Testing

@testable import ImageCaches

@Suite("What the store knows of files in place", .timeLimit(.minutes(8)))
struct LedgerTests {
  private let directory: Directory
  private let store: DiskStore

  init() throws {
    directory = try Directory()
    store = try DiskStore(directory: directory.path)
  }

  private static let scopes = [
    OutputScope(manifest: "/m", directory: "/o", template: ""),
    OutputScope(manifest: "/m", directory: "/o", template: "x"),
    OutputScope(manifest: "/m", directory: "/p", template: ""),
    OutputScope(manifest: "-", directory: "/o", template: ""),
  ]

  private static func entry(_ path: String, _ number: Int, _ scope: OutputScope) -> RegistryEntry {
    RegistryEntry(
      path: path, scope: scope, digest: ContentDigest(hashing: [1, UInt8(truncatingIfNeeded: number)]),
      key: ContentDigest(hashing: [2, UInt8(truncatingIfNeeded: number)]), recipe: "{\"n\":\(number)}",
      began: Double(number) + 0.1)
  }

  @Test("entered, replaced and struck at random, it is what a dictionary says")
  func model() throws {
    let seed = SeededRandom.seed
    var random = SeededRandom(seed: seed)
    var model: [String: RegistryEntry] = [:]
    let paths = (0..<15).map { "/o/\($0 % 3 == 0 ? "é%_'\"" : "")\($0)" }
    for step in 0..<200 {
      let place: Comment = "seed \(seed), step \(step)"
      let some = paths.filter { _ in Int.random(in: 0..<4, using: &random) == 0 }
      if Int.random(in: 0..<3, using: &random) == 0 {
        try store.unregister(paths: some)
        for path in some { model[path] = nil }
      } else {
        let entries = some.map { Self.entry($0, step, Self.scopes[Int.random(in: 0..<4, using: &random)]) }
        try store.register(entries)
        for entry in entries { model[entry.path] = entry }
      }
      for path in paths { #expect(try store.registryEntry(ofPath: path) == model[path], place) }
      for scope in Self.scopes {
        let expected = model.values.filter { $0.scope == scope }.sorted {
          $0.path.utf8.lexicographicallyPrecedes($1.path.utf8)
        }
        #expect(try store.registry(of: scope) == expected, place)
      }
      let marks = try store.registrySummaries(ofPaths: paths)
      #expect(marks.mapValues(\.key) == model.mapValues(\.key), place)
      #expect(marks.mapValues(\.scope) == model.mapValues(\.scope), place)
    }
  }

  @Test("an entry of which any field was changed is unknown")
  func seals() throws {
    let scope = Self.scopes[0]
    for (column, value) in [
      ("manifest", "'/n'"), ("directory", "'/q'"), ("template", "'t'"),
      ("digest", "'\(String(repeating: "0", count: 64))'"),
      ("key", "'\(String(repeating: "1", count: 64))'"), ("recipe", "'{}'"), ("began", "7.5"),
      ("checksum", "'0'"),
      ("digest", "'no digest'"), ("began", "'soon'"), ("recipe", "x'00ff'"), ("path", "'/o/other'"),
    ] {
      try store.register([Self.entry("/o/a", 1, scope), Self.entry("/o/b", 2, scope)])
      try store.index.write {
        try $0.execute(sql: "UPDATE registry SET \(column) = \(value) WHERE path = '/o/a'")
      }
      #expect(try store.registryEntry(ofPath: "/o/a") == nil, "\(column)")
      #expect(try store.registryEntry(ofPath: "/o/other") == nil, "\(column)")
      #expect(try store.registry(of: scope).map(\.path) == ["/o/b"], "\(column)")
      try store.unregister(paths: ["/o/a", "/o/b", "/o/other"])
      #expect(try store.registry(of: scope).isEmpty)
    }
  }

  @Test("entries stay when the store is cleared: they are about files outside of it")
  func cleared() throws {
    try store.register([Self.entry("/o/a", 1, Self.scopes[0])])
    try store.clear()
    #expect(try store.registryEntry(ofPath: "/o/a") == Self.entry("/o/a", 1, Self.scopes[0]))
  }

  @Test("times are kept to the last bit")
  func times() throws {
    for began in [0, 0.1, 1.0 / 3, 1_700_000_000.123_456_7, -1, 1e300, .leastNonzeroMagnitude] {
      var entry = Self.entry("/o/a", 1, Self.scopes[0])
      entry.began = began
      try store.register([entry])
      #expect(try store.registryEntry(ofPath: "/o/a")?.began == began)
    }
  }

  @Test("sources are remembered once, also when the store is cleared")
  func sources() throws {
    let paths = (0..<10).map { "/s/\($0)" }
    #expect(try store.sources(among: paths).isEmpty && store.sources(among: []).isEmpty)
    try store.recordSources(Array(paths.prefix(5)))
    try store.recordSources(Array(paths[3..<7]) + [paths[8], paths[8]])
    try store.recordSources([])
    let known = Set(paths.prefix(7)).union([paths[8]])
    #expect(try store.sources(among: paths) == known)
    let other = try DiskStore(directory: directory.path)
    #expect(try other.sources(among: paths + ["/s"]) == known)
    try other.clear()
    #expect(try store.sources(among: paths) == known)
  }

  @Test("savings of every kind are added up, over runs and stores")
  func savings() throws {
    let seed = SeededRandom.seed
    var random = SeededRandom(seed: seed)
    var model: [CacheSavings.Kind: CacheSavings] = [:]
    for step in 0..<30 {
      let target = step % 2 == 0 ? store : try DiskStore(directory: directory.path)
      var added: [CacheSavings.Kind: CacheSavings] = [:]
      for kind in CacheSavings.Kind.allCases where Bool.random(using: &random) {
        let hits = Int.random(in: 0...3, using: &random)
        added[kind] = CacheSavings(hits: hits, bytes: hits * 100, seconds: Double(hits) / 4)
      }
      try target.add(added)
      for (kind, sum) in added where sum.hits > 0 { model[kind, default: CacheSavings()] += sum }
      #expect(try store.savings() == model, "seed \(seed), step \(step)")
    }
    try store.index.write {
      try $0.execute(
        sql: "INSERT INTO savings (kind, hits, bytes, seconds) VALUES ('of the future', 1, 1, 1)")
    }
    #expect(try store.savings() == model)
    #expect(try Set(store.inventory().savings.keys) == Set(model.keys.map(\.rawValue)))
    try store.clear()
    #expect(try store.savings().isEmpty)
  }
}
