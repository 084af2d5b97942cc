import Foundation
import TestSupport
import Testing

@testable import ImageRendering

@Suite("A worker's greeting", .timeLimit(.minutes(8)))
struct WorkerGreetingTests {
  private let fixture: WorkerFixture

  init() throws { fixture = try WorkerFixture() }

  /// A process that is expected to greet.
  private func process(_ script: String) throws -> WorkerProcess {
    try WorkerProcess(executable: try fixture.script(script), arguments: [], greets: true)
  }

  private func frame(_ value: some WireValue) throws -> String {
    var writer = WireWriter()
    try writer.write(value)
    let count = withUnsafeBytes(of: UInt32(writer.bytes.count).littleEndian) { Array($0) }
    return (count + writer.bytes).map { "\\" + String($0, radix: 8) }.joined()
  }

  @Test("is received once, before the first request or with its response")
  func once() throws {
    let greeting = try frame(WorkerGreeting(engine: "pixels-1"))
    let answer = try frame(7)
    let bytes = try frame(7).split(separator: "\\").count
    for asksFirst in [true, false] {
      let process = try process(
        """
        printf '\(greeting)' >&3
        for number in 1 2; do
          head -c \(bytes) <&3 > /dev/null
          printf '\(answer)' >&3
        done
        """)
      if asksFirst {
        #expect(process.engine(timeout: .seconds(200)) == "pixels-1")
        #expect(process.engine(timeout: .seconds(200)) == nil)
      }
      for _ in 0..<2 { #expect(try process.exchange(7, Int.self, timeout: .seconds(200)) == 7) }
    }
  }

  @Test(
    "is not waited for in vain: a worker that ends or is silent tells no engine, and its first request fails")
  func missing() throws {
    for script in ["exit 1", "exec sleep 1000", "printf '\\377\\377\\377\\377' >&3; exec sleep 1000"] {
      let process = try process(script)
      #expect(process.engine(timeout: .milliseconds(300)) == nil)
      #expect(throws: WorkerProcess.TerminationReason.self) {
        _ = try process.exchange(7, Int.self, timeout: .milliseconds(300))
      }
    }
  }
}
