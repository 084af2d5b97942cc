import ImageBatch
import SystemIO
import Testing

@testable import Manifests

/// Long manifests are read on several threads, with the same result.
@Suite("Long manifests", .timeLimit(.minutes(4)))
struct LongManifestTests {
  /// A manifest with a job on each line from the third on; some of them are wrong.
  private func text(jobs count: Int, wrong: Set<Int> = []) -> String {
    var lines = ["imagemill: 1", "jobs:"]
    for number in 1...count {
      let filter = wrong.contains(number) ? "limti:\(number)x" : "limit:\(number)x"
      lines.append(
        "  - {source: ./\(number).png, output: \"{name}.webp\", filter: \"\(filter)\", priority: \(number)}")
    }
    return lines.joined(separator: "\n") + "\n"
  }

  @Test("have all their jobs in order, with their places", arguments: [1, 255, 256, 257, 1_000, 2_001])
  func order(_ count: Int) throws {
    let jobs = try ManifestFixture.read(text(jobs: count)).jobs
    #expect(jobs.map(\.index) == Array(1...count))
    #expect(jobs.map(\.priority) == Array(1...count))
    #expect(jobs.map(\.location?.line) == (3..<count + 3).map(Optional.some))
    for job in jobs {
      let chain = try #require(job.outputs.first).chain.identifier
      #expect(chain.hasPrefix("limit:size=\(job.index)x:"))
    }
  }

  @Test("report the mistakes of all jobs, in order")
  func mistakes() {
    let wrong: Set<Int> = [1, 300, 500, 501, 999]
    do {
      _ = try ManifestFixture.read(text(jobs: 1_000, wrong: wrong))
      Issue.record("the manifest is wrong")
    } catch {
      #expect(error.diagnostics.map(\.line) == wrong.sorted().map { $0 + 2 })
    }
  }

  @Test("are refused where all jobs together expand to too much text, though no part of them does")
  func budget() throws {
    // Each job is charged with the 12 kB of its chain, and the budget is 256 MiB.
    func manifest(_ count: Int) -> String {
      let chain = "text:" + String(repeating: "a", count: 12_000)
      var lines = ["imagemill: 1", "filters:", "  long: \"\(chain)\"", "jobs:"]
      for number in 1...count {
        lines.append("  - {source: ./\(number).png, output: \"{name}.webp\", filter: long}")
      }
      return lines.joined(separator: "\n")
    }
    #expect(try ManifestFixture.read(manifest(12_000)).jobs.count == 12_000)
    #expect(ManifestFixture.complaints(manifest(30_000)).contains(ExpansionBudget.tooMuchText))
  }
}
