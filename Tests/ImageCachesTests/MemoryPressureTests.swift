import Foundation
import Testing
import Vips

@testable import ImageCaches

@Suite("Memory pressure", .timeLimit(.minutes(8)))
struct MemoryPressureTests {
  @Test("is looked for in the process's own control group first")
  func places() {
    let machine = ["/sys/fs/cgroup/memory.pressure", "/proc/pressure/memory"]
    func places(_ groups: String, _ root: String = "/sys/fs/cgroup") -> MemoryPressurePlaces {
      MemoryPressurePlaces(groups: groups, root: root)
    }
    let own = places("1:name=systemd:/x\n0::/ci.slice/job-7\n")
    #expect(own.stalls == ["/sys/fs/cgroup/ci.slice/job-7/memory.pressure"] + machine)
    #expect(own.events == "/sys/fs/cgroup/ci.slice/job-7/memory.events")
    #expect(places("0::/\n").stalls == machine && places("").stalls == machine)
    #expect(
      places("0::/a\n", "/sys/fs/cgroup/unified").stalls
        == [
          "/sys/fs/cgroup/unified/a/memory.pressure", "/sys/fs/cgroup/unified/memory.pressure",
          "/proc/pressure/memory",
        ])
  }

  @Test("without a place that tells of it, nothing is watched, and the cache works")
  func nowhere() throws {
    let cache = try AutoPurgingImageCache(
      memoryCapacity: 100, preferredMemoryUsageAfterPurge: 60, places: .init(group: "/nonexistent"))
    #expect(!cache.listensForMemoryPressure)
    cache.handleMemoryPressure(.critical)
  }

  @Test("a cache goes with its last reference, whatever it listens to")
  func release() throws {
    weak var gone: AutoPurgingImageCache?
    do {
      let cache = AutoPurgingImageCache()
      gone = cache
      #expect(gone != nil)
    }
    #expect(gone == nil)
  }

  @Test(
    "in a real control group that is short of memory, a cache gives memory back by itself",
    .enabled(
      if: ProcessInfo.processInfo.environment["IMAGEMILL_TEST_PRESSURE"] != nil,
      "the machine reports the pressure to the caches of other tests too: set IMAGEMILL_TEST_PRESSURE=1"),
    .enabled(
      if: ControlGroup.isPossible, "no control groups that can be made and limited here: that takes root"))
  func realPressure() async throws {
    let group = try ControlGroup()
    let cache = try AutoPurgingImageCache(
      memoryCapacity: 1_000_000, preferredMemoryUsageAfterPurge: 100_000, places: .init(group: group.unified))
    try #require(cache.listensForMemoryPressure)
    for number in 0..<5 {
      cache.add(try VipsImage.plain([1, 2, 3], width: 200, height: 200), withIdentifier: "\(number)")
    }
    #expect(cache.memoryUsage == 800_000)
    let load = try group.startLoad()
    defer {
      load.terminate()
      load.waitUntilExit()
    }
    let end = ContinuousClock.now + .seconds(240)
    while cache.memoryUsage > 100_000, ContinuousClock.now < end {
      try await Task.sleep(for: .milliseconds(20))
    }
    #expect(cache.memoryUsage <= 100_000)
    print("pressure in \(group.unified): \(group.pressure)")
  }
}

/// A control group of its own with little memory, in which a load stalls: by the unified hierarchy's memory controller,
/// or where that belongs to the first version, by that version's.
private final class ControlGroup {
  let unified: String
  private let limited: String
  private static let roots = ["/sys/fs/cgroup/unified", "/sys/fs/cgroup"]
  private static let root = roots.first { FileManager.default.fileExists(atPath: $0 + "/cgroup.procs") }
  private static let usesFirstVersion = FileManager.default.fileExists(
    atPath: "/sys/fs/cgroup/memory/memory.limit_in_bytes")

  static let isPossible: Bool = {
    do {
      let group = try ControlGroup()
      return FileManager.default.fileExists(atPath: group.unified + "/memory.pressure")
    } catch {
      return false
    }
  }()

  init() throws {
    guard let root = Self.root, getuid() == 0 else { throw CocoaError(.fileWriteNoPermission) }
    let name = "/imagemill-test-\(getpid())-\(UInt32.random(in: 0...UInt32.max))"
    unified = root + name
    limited = Self.usesFirstVersion ? "/sys/fs/cgroup/memory" + name : unified
    let limit = 12 << 20
    for directory in Set([unified, limited]) {
      guard mkdir(directory, 0o755) == 0 else { throw CocoaError(.fileWriteNoPermission) }
    }
    if Self.usesFirstVersion {
      try write("\(limit)", to: limited + "/memory.limit_in_bytes")
    } else {
      try write("\(limit)", to: limited + "/memory.high")
    }
  }

  private func write(_ text: String, to path: String) throws {
    let descriptor = open(path, O_WRONLY)
    guard descriptor >= 0 else { throw CocoaError(.fileNoSuchFile) }
    defer { close(descriptor) }
    guard Glibc.write(descriptor, text, text.utf8.count) > 0 else { throw CocoaError(.fileWriteUnknown) }
  }

  var pressure: String {
    (try? String(contentsOfFile: unified + "/memory.pressure", encoding: .utf8)) ?? ""
  }

  /// Reads a file that is larger than the group's memory, again and again, in several processes.
  func startLoad() throws -> Process {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/bin/sh")
    process.arguments = [
      "-c",
      """
      for group in "$0" "$1"; do echo $$ > "$group/cgroup.procs"; done
      file=$(mktemp /var/tmp/imagemill-load-XXXXXX)
      trap 'kill $(jobs -p); rm -f "$file"' EXIT
      trap 'exit 0' TERM
      head -c 40000000 /dev/zero > "$file"
      for reader in 1 2 3 4; do (while cat "$file" > /dev/null; do :; done) & done
      sleep 300 & wait $!
      """, unified, limited,
    ]
    try process.run()
    return process
  }

  deinit {
    // The groups can be removed when their processes have gone.
    for directory in Set([unified, limited]) {
      for _ in 0..<200 where rmdir(directory) != 0 && errno == EBUSY {
        for id in ((try? String(contentsOfFile: directory + "/cgroup.procs", encoding: .utf8)) ?? "").split(
          separator: "\n")
        {
          if let id = pid_t(id) { kill(id, SIGKILL) }
        }
        usleep(10_000)
      }
    }
  }
}
