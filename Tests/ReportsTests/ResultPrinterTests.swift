import ImageBatch
import Synchronization
import Testing

@testable import Reports

@Suite("Results on standard output", .timeLimit(.minutes(8)))
struct ResultPrinterTests {
  private final class Lines: Sendable {
    private let state = Mutex<[String]>([])
    var written: [String] { state.withLock(\.self) }
    func write(_ text: String) -> Bool {
      state.withLock { $0.append(text) }
      return true
    }
  }

  private func job(_ index: Int, _ paths: String...) -> JobResult {
    let outputs = paths.map { OutputResult.written(index, output: $0) }
    return JobResult(index: index, source: "a", outputs: outputs, location: nil)
  }

  private func send(_ job: JobResult, to printer: ResultPrinter) {
    for output in job.outputs { printer.receive(.outputFinished(output)) }
    printer.receive(.jobFinished(job))
  }

  @Test("are a path a line, as each output is finished")
  func unordered() {
    let lines = Lines()
    let printer = ResultPrinter(ResultPrinter.Form(), write: lines.write)
    send(job(2, "b.png", "c.png"), to: printer)
    send(job(1, "a.png"), to: printer)
    #expect(lines.written == ["out/b.png\n", "out/c.png\n", "out/a.png\n"])
  }

  @Test("end in NUL on request, and are objects on request")
  func forms() {
    let lines = Lines()
    let printer = ResultPrinter(
      ResultPrinter.Form(json: true, isNULSeparated: true), write: lines.write)
    send(job(1, "a.png"), to: printer)
    #expect(lines.written.count == 1)
    #expect(lines.written[0].hasPrefix(#"{"version":1,"index":1,"#) && lines.written[0].hasSuffix("}\0"))
  }

  @Test("wait for those of earlier jobs where they are in order")
  func ordered() {
    let lines = Lines()
    let printer = ResultPrinter(ResultPrinter.Form(order: OrderWindow()), write: lines.write)
    send(job(3, "c.png"), to: printer)
    send(job(2, "b.png"), to: printer)
    #expect(lines.written.isEmpty)
    send(job(1, "a.png"), to: printer)
    #expect(lines.written == ["out/a.png\nout/b.png\nout/c.png\n"])
  }

  @Test("that wait for a job that was never started are printed at the end, in order")
  func gap() {
    let lines = Lines()
    let printer = ResultPrinter(ResultPrinter.Form(order: OrderWindow()), write: lines.write)
    send(job(4, "d.png"), to: printer)
    send(job(3, "c.png"), to: printer)
    printer.receive(.finished(BatchSummary()))
    #expect(lines.written == ["out/c.png\nout/d.png\n"])
  }

  /// Actions that wait for their time.
  private final class Later: Sendable {
    private let state = Mutex<[@Sendable () -> Void]>([])
    var count: Int { state.withLock(\.count) }
    func call(_ action: @escaping @Sendable () -> Void) { state.withLock { $0.append(action) } }
    func come() {
      let actions = state.withLock { state in
        defer { state = [] }
        return state
      }
      for action in actions { action() }
    }
  }

  @Test("are written together for a program, and at the end all of them")
  func gathered() {
    let (lines, later) = (Lines(), Later())
    let printer = ResultPrinter(
      ResultPrinter.Form(json: true, isGathered: true), later: later.call, write: lines.write)
    for index in 1...3 { send(job(index, "\(index).png"), to: printer) }
    #expect(lines.written.isEmpty && later.count == 1)
    later.come()
    #expect(lines.written.count == 1)
    #expect(lines.written[0].split(separator: "\n").count == 3 && lines.written[0].contains(#""seconds":"#))
    send(job(4, "4.png"), to: printer)
    #expect(lines.written.count == 1 && later.count == 1)
    printer.receive(.finished(BatchSummary()))
    #expect(lines.written.count == 2)
    later.come()
    #expect(lines.written.count == 2)
  }

  @Test("wait no longer than for a full pipe's bytes")
  func enough() {
    let (lines, later) = (Lines(), Later())
    let printer = ResultPrinter(
      ResultPrinter.Form(json: true, isGathered: true), later: later.call, write: lines.write)
    for index in 1...1000 { send(job(index, "\(index).png"), to: printer) }
    #expect(lines.written.count > 1 && later.count == 1)
    #expect(lines.written.allSatisfy { $0.utf8.count >= ResultPrinter.enough && $0.hasSuffix("}\n") })
  }
}
