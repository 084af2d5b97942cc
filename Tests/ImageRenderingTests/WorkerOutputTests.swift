import Foundation
import TestSupport
import Testing

@testable import ImageRendering

@Suite("What a worker prints", .timeLimit(.minutes(8)), .serialized)
struct WorkerOutputTests {
  private let fixture: WorkerFixture

  init() throws { fixture = try WorkerFixture() }

  /// A process that prints before each of its responses, which are its requests.
  private func process(printing command: String) throws -> WorkerProcess {
    var writer = WireWriter()
    try writer.write(7)
    let script = try fixture.script(
      """
      number=0
      while :; do
        frame=$(mktemp)
        head -c \(writer.bytes.count + 4) <&3 > $frame
        [ -s $frame ] || exit 0
        number=$((number + 1))
        \(command)
        cat $frame >&3
        rm $frame
      done
      """)
    return try WorkerProcess(executable: script, arguments: [])
  }

  @Test(
    "never holds up a request, however much it is, in one request or in all of them",
    arguments: [(100_000, 12), (3_000_000, 2)])
  func flood(bytes: Int, requests: Int) throws {
    let process = try process(printing: "head -c \(bytes) /dev/zero | tr '\\0' x >&2")
    for number in 0..<requests {
      #expect(try process.exchange(number, Int.self, timeout: .seconds(200)) == number)
    }
  }

  @Test("is told of the request that it died of, to its last word, and not of an earlier one")
  func lastWords() throws {
    for noise in [0, 70_000, 1_000_000] {
      let process = try process(
        printing: """
          if [ $number = 3 ]; then
            head -c \(noise) /dev/zero | tr '\\0' y >&2
            echo 'last words' >&2
            kill -SEGV $$
          fi
          echo 'out of memory' >&2
          """)
      for number in 0..<2 { _ = try process.exchange(number, Int.self, timeout: .seconds(200)) }
      do throws(WorkerProcess.TerminationReason) {
        _ = try process.exchange(2, Int.self, timeout: .seconds(200))
        Issue.record("it lives")
      } catch {
        guard case .ended(let signal, let text) = error else {
          Issue.record("\(error)")
          continue
        }
        #expect(signal == SIGSEGV && text.hasSuffix("last words\n"), "after \(noise) bytes")
        #expect(!text.contains("out of memory") && text.utf8.count <= 2000, "after \(noise) bytes")
      }
    }
  }
}
