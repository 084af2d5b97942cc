import Testing

@testable import ImageCaches

@Suite("Memory pressure", .timeLimit(.minutes(8)))
struct MemoryPressureTests {
  @Test("is looked for in the process's own control group first")
  func paths() {
    let machine = ["/sys/fs/cgroup/memory.pressure", "/proc/pressure/memory"]
    #expect(
      MemoryPressureMonitor.paths(ofGroups: "1:name=systemd:/x\n0::/ci.slice/job-7\n")
        == ["/sys/fs/cgroup/ci.slice/job-7/memory.pressure"] + machine)
    #expect(MemoryPressureMonitor.paths(ofGroups: "0::/\n") == machine)
    #expect(MemoryPressureMonitor.paths(ofGroups: "") == machine)
  }
}
