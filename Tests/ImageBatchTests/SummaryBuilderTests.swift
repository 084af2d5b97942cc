import ImageCaches
import TestSupport
import Testing

@testable import ImageBatch
@testable import ImageDownloads
@testable import ImageRendering

@Suite("Sums and orders of a batch", .timeLimit(.minutes(8)))
struct TallyTests {
  private let seed = SeededRandom.seed

  @Test("any results: the summary is their sum")
  func tally() {
    var values = RandomValues(seed: seed)
    for _ in 0..<200 {
      var tally = SummaryBuilder()
      var statuses: [OutputResult.Status: Int] = [:]
      var (jobs, failedJobs, permanent, placeholders) = (0, 0, 0, 0)
      for index in 0..<values.int(0...20) {
        var outputs: [OutputResult] = []
        for position in 0..<values.int(0...3) {
          let status = values.element([OutputResult.Status.written, .unchanged, .cached, .kept, .failed])
          var output = OutputResult(
            index: index, outputIndex: position, source: "", status: status, filter: "", format: "png")
          if status == .failed {
            var error = JobError("timed-out")
            error.isTemporary = values.chance(2)
            if !error.isTemporary { permanent += 1 }
            output.error = error
          }
          output.usedPlaceholder = values.chance(4)
          if output.usedPlaceholder { placeholders += 1 }
          statuses[status, default: 0] += 1
          outputs.append(output)
        }
        jobs += 1
        let result = JobResult(index: index, source: "", outputs: outputs, location: nil)
        if result.failed { failedJobs += 1 }
        tally.count(result)
        #expect(tally.failedJobs == failedJobs)
      }
      let known = values.optional { $0.int(0...40) }
      let isUnread = values.chance(2)
      let summary = tally.summary(
        after: .seconds(2), downloads: DownloadTotals(), knownJobs: known, isInputUnread: isUnread)
      // Where the number of jobs is known, the rest is counted.
      #expect(summary.isInputUnread == (isUnread && known == nil))
      #expect(summary.isWhole == (summary.jobsNotStarted == 0 && !summary.isInputUnread))
      #expect(summary.jobs == max(jobs, known ?? 0) && summary.jobsNotStarted == max(0, (known ?? 0) - jobs))
      #expect(summary.jobsDone + summary.jobsFailed == jobs && summary.jobsFailed == failedJobs)
      #expect(summary.outputs == statuses.values.reduce(0, +))
      #expect(summary.outputsWritten == statuses[.written, default: 0])
      #expect(summary.outputsKept == statuses[.kept, default: 0])
      #expect(summary.outputsFailed == statuses[.failed, default: 0])
      #expect(
        summary.allFailuresTemporary == (statuses[.failed, default: 0] > 0 && permanent == 0), "seed \(seed)")
      #expect(summary.placeholdersUsed == placeholders && summary.seconds == 2)
    }
  }

  @Test("what was found is counted as spared, by how it was found")
  func savings() {
    var tally = SummaryBuilder()
    for (disposition, kind) in [
      (StoredSource.Disposition.hit, CacheSavings.Kind.response), (.revalidated, .revalidated),
      (.downloaded, nil),
      (.merged, nil), (.stale, nil), (.local, nil),
    ] as [(StoredSource.Disposition, CacheSavings.Kind?)] {
      let before = tally.savings
      tally.count(
        StoredSource(
          digest: ContentDigest(of: ""), path: "", byteCount: 70, disposition: disposition, displayText: ""))
      if let kind {
        #expect(tally.savings[kind]?.hits == 1 && tally.savings[kind]?.bytes == 70)
      } else {
        #expect(tally.savings == before)
      }
    }
  }

  @Test("jobs of one source are a group, groups go by priority and then by their first jobs")
  func grouping() {
    var values = RandomValues(seed: seed)
    for _ in 0..<200 {
      let jobs = (1...values.int(1...30)).map { index in
        var job = Job(index: index, sources: [.file("\(values.int(0...5))")], outputs: [])
        if values.chance(6) { job.sources.append(.file("x")) }
        if values.chance(6) { job.placeholder = .file("p") }
        job.isProgressive = values.chance(3)
        job.priority = values.int(-2...2)
        return job
      }
      let groups = JobGroup.grouping(jobs)
      #expect(Set(groups.map(\.key)).count == groups.count, "seed \(seed)")
      #expect(groups.flatMap { $0.jobs.map(\.index) }.sorted() == jobs.map(\.index))
      for group in groups {
        #expect(group.jobs.map(\.index) == group.jobs.map(\.index).sorted())
        #expect(group.jobs.allSatisfy { JobGroup($0).key == group.key })
        #expect(group.priority == group.jobs.map(\.priority).max())
      }
      for (one, other) in zip(groups, groups.dropFirst()) {
        #expect(
          (-one.priority, one.jobs[0].index) < (-other.priority, other.jobs[0].index), "seed \(seed)")
      }
    }
  }

  @Test("one source alone is never progressive, so that equal jobs are one group")
  func aloneProgressive() {
    var one = Job(index: 1, sources: [.file("a")], outputs: [])
    let other = one
    one.isProgressive = true
    #expect(JobGroup(one).key == JobGroup(other).key)
  }

  @Test("several failures are one with the first's code, all messages, and any hope that one of them leaves")
  func joined() {
    var temporary = JobError("timed-out", .download, "second")
    temporary.isTemporary = true
    temporary.source = "b.png"
    let first = JobError("corrupt", .decode, "first")
    let all = JobError(allOf: [first, temporary])
    #expect(all.codeText == "corrupt" && all.stage == .decode && all.isTemporary)
    #expect(all.message.contains("first") && all.message.contains("b.png") && all.message.contains("second"))
    #expect(JobError(allOf: [first]) == first)
    #expect(JobError(allOf: []) == .cancelled)
  }

  @Test("a failure concerns a source only where it is that source's own")
  func concerns() {
    for (stage, concerns) in [
      (JobError.Stage.decode, true), (.read, true), (.filter, false), (.encode, false), (.write, false),
      (.download, false),
    ] {
      var error = JobError("corrupt", stage)
      #expect(error.concerns("a.png") == concerns)
      error.source = "a.png"
      #expect(error.concerns("a.png") == concerns)
      error.source = "overlay.png"
      #expect(!error.concerns("a.png"))
    }
  }

  @Test("recipes differ in what their keys differ in, and read back from the registry's text")
  func recipes() throws {
    let output = JobOutput(
      template: try OutputTemplate(parsing: "x.png"), chain: try .init(parsing: "flip"),
      encoding: try Encoding(resolving: EncodingSettings(), pathExtension: "png"))
    let one = OutputRecipe(
      output, source: "a", content: ContentDigest(of: "1"), auxiliary: ["m": ContentDigest(of: "m")])
    #expect(one.differences(from: one).isEmpty)
    var other = one
    other.source = "another address"
    #expect(other.differences(from: one).isEmpty)
    other.content = ContentDigest(of: "2")
    other.filter = "flop"
    other.encoding = "png:x"
    other.engine = "new"
    other.auxiliary = ["n": ContentDigest(of: "m")]
    #expect(
      other.differences(from: one).map(\.part)
        == ["source content", "filter", "encoding", "engine", "image m", "image n"])
    #expect(other.differences(from: one).allSatisfy { $0.before != $0.now })
    for recipe in [one, other] { #expect(OutputRecipe(json: try #require(recipe.json)) == recipe) }
    for text in ["", "{}", "[]", "null", "{\"source\":1}", "\u{0}"] {
      #expect(OutputRecipe(json: text) == nil)
    }
  }

  @Test("a template of one's own markup is taken apart, and its mistakes are found where they are")
  func markup() throws {
    let parsed = try MarkupTemplate(
      parsing: "<a>{{x}}{src}{own}</a>", variables: ["own": "<&>", "src": "never"])
    #expect(parsed.parts == [.html("<a>{x}"), .field(.src), .text("<&>"), .html("</a>")])
    for field in MarkupTemplate.Field.allCases {
      #expect(try MarkupTemplate(parsing: "{\(field.rawValue)}", variables: [:]).parts == [.field(field)])
    }
    #expect(try MarkupTemplate(parsing: "", variables: [:]).parts.isEmpty)
    for (text, offset, unknown) in [
      ("{none}", 0, "none"), ("a{", 1, nil), ("é}", 2, nil), ("{{}", 2, nil), ("{}", 0, ""),
      ("{ src }", 0, " src "),
    ] as [(String, Int, String?)] {
      let error = #expect(throws: MarkupTemplate.Failure.self) {
        try MarkupTemplate(parsing: text, variables: [:])
      }
      #expect(error?.offset == offset && error?.unknown == unknown, "\(text)")
    }
  }
}
