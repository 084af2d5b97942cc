import Foundation
import Glibc
import ImageCaches
import ImageDownloads
import SystemIO
import TestSupport
import Testing

@testable import ImageBatch
@testable import ImageRendering

@Suite("Claims of output paths", .timeLimit(.minutes(8)))
struct OutputClaimsTests {
  private let directory: TestDirectory
  private let store: DiskStore

  init() throws {
    directory = try TestDirectory("registry")
    store = try .ephemeral()
  }

  private func registry(_ jobs: [Job] = [], allowsSources: Bool = false) -> OutputPathRegistry {
    let sources = SourceFiles(store: store, records: false)
    sources.add(jobs)
    var policy = ReplacementPolicy()
    policy.allowsSources = allowsSources
    return OutputPathRegistry(sources: sources, replacing: policy)
  }

  @Test("any sequence: a path belongs to the first content that asks for it, for ever")
  func model() {
    let seed = SeededRandom.seed
    var random = SeededRandom(seed: seed)
    let registry = registry()
    var holders: [String: String] = [:]
    for _ in 0..<3000 {
      // Paths that differ in letter case, in bytes or in a trailing letter are different ones; those that lead to one place
      // are one.
      let path =
        [
          "a", "A", "./a", "a/b", "a//b", "a/../b/./c", "b/c", "\u{e9}/", "e\u{301}/", "\u{e9}", "e\u{301}",
          "a ",
        ].randomElement(using: &random).map {
          $0 + "\(Int.random(in: 0..<30, using: &random))"
        } ?? ""
      let content = "\(Int.random(in: 0..<3, using: &random))"
      let key = Array(Paths.normalized(path).utf8).map { "\($0)" }.joined(separator: ",")
      let expected = holders[key].map { $0 == content } ?? true
      if holders[key] == nil { holders[key] = content }
      #expect(registry.claim(path, for: ContentDigest(of: content)) == expected, "seed \(seed): \(path)")
    }
  }

  @Test("of many at once that want one path for different contents, one gets it")
  func concurrent() async {
    let registry = registry()
    for path in ["x", "y", "z"] {
      let winners = await withTaskGroup(of: Bool.self) { tasks in
        for number in 0..<32 { tasks.addTask { registry.claim(path, for: ContentDigest(of: "\(number)")) } }
        return await tasks.reduce(0) { $0 + ($1 ? 1 : 0) }
      }
      #expect(winners == 1)
    }
  }

  @Test("a source's place is refused by whatever name it is reached, unless sources may be replaced")
  func sources() throws {
    let source = try directory.write("source", to: "in/a.png")
    try directory.write("other", to: "in/b.png")
    #expect(symlink("in", directory["link"]) == 0)
    #expect(symlink("a.png", directory["in/alias.png"]) == 0)
    #expect(link(source, directory["in/hard.png"]) == 0)
    let job = Job(index: 1, sources: [.file(source)], outputs: [])
    let names = ["in/a.png", "link/a.png", "in/../in/a.png", "in//a.png", "in/alias.png", "in/hard.png"]
    for name in names {
      let error = #expect(throws: JobError.self) {
        try registry([job]).checkSource(at: directory[name], path: name)
      }
      #expect(error.map { $0.codeText } == "overwrites-source")
      #expect(error?.stage == .write)
      #expect(error?.message.contains(name) == true)
      try registry([job], allowsSources: true).checkSource(at: directory[name], path: name)
      try registry().checkSource(at: directory[name], path: name)
    }
    for name in ["in/b.png", "in/new.png", "new/a.png"] {
      try registry([job]).checkSource(at: directory[name], path: name)
    }
  }

  @Test("everything that a job reads is a source: alternatives, placeholder, overlays and masks")
  func allSources() throws {
    var job = Job(
      index: 1, sources: [.file(directory["1"]), .file(directory["2"])],
      outputs: [
        JobOutput(
          template: try OutputTemplate(parsing: "x.png"), chain: try .init(parsing: "overlay:logo"),
          encoding: try Encoding(resolving: EncodingSettings(), pathExtension: "png"))
      ])
    job.placeholder = .file(directory["3"])
    job.outputs[0].namedSources = ["logo": .file(directory["4"])]
    for number in 1...5 { try directory.write("\(number)", to: "\(number)") }
    let sources = SourceFiles(store: store, records: false)
    sources.add([job])
    #expect((1...5).map { sources.contains(directory["\($0)"]) } == [true, true, true, true, false])
  }

  @Test("sources of earlier runs are known by their real paths")
  func everSources() throws {
    try directory.write("a", to: "a")
    try directory.write("b", to: "b")
    #expect(symlink("a", directory["link"]) == 0)
    let earlier = SourceFiles(store: store)
    earlier.add([
      Job(
        index: 1, sources: [.file(directory["link"]), .url("http://a.example/"), .standardInput], outputs: [])
    ])
    earlier.flush()
    let later = SourceFiles(store: store)
    later.add([Job(index: 1, sources: [.file(directory["b"])], outputs: [])])
    let real = directory.realPath
    let paths = ["a", "b", "c", "link"].map { real + "/" + $0 }
    // The link itself leads to a source of the earlier run, but isn't one of this run.
    #expect(try later.everSources(among: paths) == [real + "/a", real + "/b"])
    #expect(try earlier.everSources(among: []).isEmpty)
  }

  @Test("a source that records nothing leaves nothing")
  func unrecorded() throws {
    try directory.write("a", to: "a")
    let sources = SourceFiles(store: store, records: false)
    sources.add([Job(index: 1, sources: [.file(directory["a"])], outputs: [])])
    sources.flush()
    #expect(try store.sources(among: [directory.realPath + "/a"]).isEmpty)
  }

  @Test("more sources than are gathered at once are all remembered")
  func manySources() throws {
    let real = directory.realPath
    for number in 0..<1100 { try directory.write("", to: "many/\(number)") }
    let sources = SourceFiles(store: store)
    let paths = (0..<1100).map { "\(real)/many/\($0)" }
    sources.add(paths.enumerated().map { Job(index: $0, sources: [.file($1)], outputs: []) })
    // Twice the same is once.
    sources.add(paths.enumerated().map { Job(index: $0, sources: [.file($1)], outputs: []) })
    sources.flush()
    #expect(try store.sources(among: paths) == Set(paths))
    #expect(paths.allSatisfy(sources.contains))
  }
}
