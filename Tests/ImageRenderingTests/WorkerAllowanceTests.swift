import Testing

@testable import ImageRendering

@Suite("The memory that a worker may use beyond its grant")
struct WorkerAllowanceTests {
  @Test("is that of its threads and renditions, and never more than a fixed size")
  func bounds() {
    let small = WorkerLimits.allowance(renditions: 25_000_000, processors: 2)
    #expect(small == 128 << 20 + 25_000_000)
    for processors in [1, 2, 8, 64, 512] {
      let allowance = WorkerLimits.allowance(renditions: WorkerMain.renditionMemory, processors: processors)
      #expect(allowance <= 256 << 20 && allowance > WorkerMain.renditionMemory, "\(processors)")
    }
  }
}
