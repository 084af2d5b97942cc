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
}
