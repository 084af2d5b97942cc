import ImageDownloads
import ImageFilters
import TestSupport
import Testing

@testable import ImageBatch
@testable import ImageRendering

@Suite("Jobs that need outputs of others", .timeLimit(.minutes(8)))
struct JobDependencyTests {
  private func job(_ index: Int, _ sources: [String], _ outputs: [String], in directory: String = "o") throws
    -> Job
  {
    var job = Job(
      index: index, sources: try sources.map { try ImageSource(parsing: $0) },
      outputs: try outputs.map {
        JobOutput(
          template: try OutputTemplate(parsing: $0), chain: FilterChain(),
          encoding: try Encoding(resolving: EncodingSettings(), pathExtension: "png"))
      })
    job.outputDirectory = directory
    return job
  }

  @Test("have a level above each of them, whatever the order of the jobs, in 1,000 random graphs")
  func levels() throws {
    var values = RandomValues(seed: SeededRandom.seed)
    for _ in 0..<1000 {
      let count = values.int(1...12)
      // Job n makes n.png from outputs of lower numbers, so that there is no circle.
      var jobs = try (0..<count).map { number in
        let needs = (0..<number).filter { _ in values.chance(4) }
        let sources = needs.map { "./o/\($0).png" } + (needs.isEmpty ? ["a.png"] : [])
        return try job(number + 1, sources, ["\(number).png"])
      }
      for index in jobs.indices.reversed() { jobs.swapAt(index, values.int(0...index)) }
      let ordered = try JobDependencies(jobs).ordered()
      #expect(ordered.map(\.index) == jobs.map(\.index))
      let level = Dictionary(uniqueKeysWithValues: ordered.map { ($0.index, $0.level) })
      for job in ordered {
        let made = job.sources.compactMap { source -> Int? in
          guard case .file(let path) = source, path != "a.png" else { return nil }
          return path.split(separator: "/").last?.split(separator: ".").first.flatMap { Int($0) }.map {
            $0 + 1
          }
        }
        #expect(Set(job.needs.map(\.job)) == Set(made))
        let isNeeded = ordered.contains { $0.needs.contains { $0.job == job.index } }
        #expect(job.neededOutputs == (isNeeded ? [0] : []))
        #expect(job.level == (made.compactMap { level[$0] }.max() ?? -1) + 1, "seed \(SeededRandom.seed)")
      }
    }
  }

  @Test("are found through placeholders, overlays and any spelling of a path, and not through unknown names")
  func references() throws {
    var placeholder = try job(2, ["b.png"], ["p.png"])
    placeholder.placeholder = .file("o/x/../made.png")
    var overlay = try job(3, ["b.png"], ["q.png"])
    overlay.outputs[0].chain = try FilterChain(parsing: "overlay:logo")
    overlay.outputs[0].namedSources["logo"] = .file("./o//made.png")
    let unknown = try job(4, ["o/abc.png"], ["r.png"])
    let jobs = [try job(1, ["a.png"], ["made.png", "{hash}.png"]), placeholder, overlay, unknown]
    #expect(try JobDependencies(jobs).ordered().map(\.level) == [0, 1, 1, 0])
    // With an output in the place of its own source, other jobs read the original.
    let inPlace = [
      try job(1, ["o/a.png"], ["a.png"]), try job(2, ["o/a.png"], ["b.png"]),
      try job(3, ["o/b.png"], ["c.png"]),
    ]
    #expect(try JobDependencies(inPlace).ordered().map(\.level) == [1, 0, 1])
    // Equal jobs don't wait for each other: they are rendered once.
    let twice = [
      try job(1, ["o/a.png"], ["a.png"]), try job(2, ["o/a.png"], ["b.png"]),
      try job(3, ["o/a.png"], ["a.png"]),
    ]
    #expect(try JobDependencies(twice).ordered().map(\.level) == [1, 0, 1])
    // Which the third job can't, if it also needs what the first makes of it.
    let both = [try job(1, ["o/a.png"], ["a.png", "b.png"]), try job(2, ["o/a.png", "o/b.png"], ["c.png"])]
    #expect(throws: JobDependencies.Circles.self) { try JobDependencies(both).ordered() }
    // No output is a source of a job with URLs.
    let remote = try job(3, ["https://a.example/o/made.png"], ["c.png"])
    #expect(
      try JobDependencies([try job(1, ["b.png"], ["made.png"]), remote]).ordered().map(\.level) == [0, 0])
  }

  @Test("a circle is an error that names its jobs, however long it is")
  func circles() throws {
    for count in [2, 3, 50_000] {
      let jobs = try (0..<count).map { try job($0 + 1, ["o/\(($0 + 1) % count).png"], ["\($0).png"]) }
      let circle = #expect(throws: JobDependencies.Circles.self) { try JobDependencies(jobs).ordered() }
      #expect(circle?.circles.map(\.jobs.count) == [count])
    }
    // All are found, also those that share a job, up to a limit.
    let several = try (0..<60).map { try job($0 + 1, ["o/\($0 ^ 1).png"], ["\($0).png"]) }
    for (count, expected) in [(2, 1), (4, 2), (30, 15), (60, 20)] {
      let found = #expect(throws: JobDependencies.Circles.self) {
        try JobDependencies(Array(several.prefix(count))).ordered()
      }
      #expect(found?.circles.count == expected)
    }
    let shared = try [
      job(1, ["o/b.png", "o/c.png"], ["a.png"]), job(2, ["o/a.png"], ["b.png"]),
      job(3, ["o/a.png"], ["c.png"]),
    ]
    let both = #expect(throws: JobDependencies.Circles.self) { try JobDependencies(shared).ordered() }
    #expect(both?.circles.map { $0.jobs.map(\.index) } == [[1, 2], [1, 3]])
    // A chain as long is none.
    let chain = try (0..<50_000).map { try job($0 + 1, ["o/\($0 - 1).png"], ["\($0).png"]) }
    #expect(try JobDependencies(chain).ordered().last?.level == 49_999)
  }

  @Test("a selection has what the targets need, and only that")
  func selection() throws {
    let jobs = [
      try job(1, ["a.png"], ["b.png", "other.png"]), try job(2, ["o/b.png"], ["c.png", "d.png"]),
      try job(3, ["z.png"], ["e.png"]),
    ]
    let (selected, unknown) = JobDependencies(jobs).selecting(["o/d.png", "./o/none.png"])
    #expect(selected.map(\.index) == [1, 2])
    #expect(selected.map { $0.outputs.map(\.template.text) } == [["b.png"], ["d.png"]])
    #expect(unknown == ["./o/none.png"])
  }
}
