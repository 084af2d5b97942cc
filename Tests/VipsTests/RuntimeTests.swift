import Testing

@testable import Vips

@Suite("libvips in this process", .timeLimit(.minutes(8)))
struct RuntimeTests {
  @Test("has a version of three numbers")
  func version() throws {
    let parts = VipsRuntime.version.split(separator: ".").map { Int($0) }
    #expect(parts.count == 3 && !parts.contains(nil))
    #expect((parts.first ?? 0) ?? 0 >= 8)
  }

  @Test("starts as often as it is asked to")
  func start() throws {
    for _ in 0..<3 { try VipsRuntime.start() }
    for threads in [1, 2, 0, -4, 1] { try VipsRuntime.setConcurrency(threads) }
    #expect(VipsRuntime.concurrency == 1)
  }

  @Test("keeps the number of threads that the program has set, whatever a rendering asks for")
  func concurrency() throws {
    try VipsRuntime.setConcurrency(1)
    try VipsRuntime.useConcurrency(7)
    #expect(VipsRuntime.concurrency != 7)
  }

  @Test("counts the memory of its images")
  func memory() throws {
    let before = VipsRuntime.memory
    let image = try Sample.image(1000, 700).applying("invert").materialized()
    #expect(VipsRuntime.memoryHighWater >= image.pixelBytes)
    #expect(VipsRuntime.memoryHighWater >= before)
    #expect(VipsRuntime.allocations > 0)
    withExtendedLifetime(image) {}
  }

  @Test("saves without metadata by an argument that its savers know")
  func withoutMetadata() throws {
    let image = try Sample.image(8, 8, interpretation: .sRGB).editingMetadata {
      $0.set("icc-profile-data", [UInt8](repeating: 1, count: 200))
    }
    for format in ["jpeg", "png", "webp", "tiff"] {
      let bare = try Sample.loaded(Sample.file(image, as: format, VipsRuntime.withoutMetadata), as: format)
      #expect(!bare.hasField("icc-profile-data"), "\(format)")
    }
  }

  @Test("tells the builds of the libraries that pixels go through, each once and in order")
  func builds() {
    let builds = LoadedLibraries.builds
    #expect(builds == builds.sorted() && Set(builds).count == builds.count)
    #expect(builds.contains { $0.hasPrefix("libvips") })
    for build in builds {
      let parts = build.split(separator: " ")
      #expect(parts.count == 2, "\(build)")
      #expect(LoadedLibraries.pixelLibraries.contains { build.hasPrefix($0) }, "\(build)")
      let identifier = parts.last ?? ""
      #expect(!identifier.isEmpty && identifier.count % 2 == 0, "\(build)")
      #expect(identifier.allSatisfy { "0123456789abcdef".contains($0) }, "\(build)")
    }
  }

  @Test("takes memory, of which the system tells")
  func data() {
    ProcessMemory.limitArenas()
    let before = ProcessMemory.data
    #expect(before > 1 << 20)
    let block = [UInt8](repeating: 1, count: 64 << 20)
    #expect(ProcessMemory.data >= before - (64 << 20))
    #expect(block.count == 64 << 20)
  }
}
